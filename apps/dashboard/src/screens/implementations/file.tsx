import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { fileQuery, SHOWN_BYTES, treeQuery } from '../../data/implementation-queries.ts';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { BranchChoice } from './branch-choice.tsx';
import { Trail } from './code.tsx';
import { searchOf, useImplementationAddress, useWhere } from './use-implementation.ts';
import { useText } from './use-text.ts';

/** One file: its text with the numbers of the lines, and its download. */
export function FilePage() {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  const name = path.slice(path.lastIndexOf('/') + 1);
  const folder = useQuery(treeQuery(acting, implementationId, { ref, path: path.slice(0, -name.length - 1) }));
  const size = folder.data?.entries.find((one) => one.name === name)?.bytes ?? null;
  const isShown = size !== null && size <= SHOWN_BYTES;
  const file = useQuery({ ...fileQuery(acting, implementationId, { ref, path }), enabled: isShown });
  const text = useText(file.data);
  const download = useMutation({
    mutationFn: async () => {
      const read = { implementationId, path, ...(ref !== null && { ref }) };
      save(await (await acting.platform.readImplementationFile(read)).blob(), name);
    },
  });
  const error = folder.error ?? file.error ?? download.error;
  const lines = text?.split('\n') ?? [];
  return (
    <div className="stack">
      <div className="row apart">
        <BranchChoice />
        <div className="row">
          {size !== null && <span className="quiet numbers">{bytes(size)}</span>}
          <Link to={`${at}/commits`} search={searchOf({ ref, path })}>
            History
          </Link>
          <Button size="xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
            Download
          </Button>
        </div>
      </div>
      <Trail at={{ ref, path }} address={at} />
      {error && <Problem error={error} />}
      {folder.data && size === null && <div className="panel quiet">There is no file of this name here.</div>}
      {size !== null && !isShown && (
        <div className="panel quiet">Files of more than {bytes(SHOWN_BYTES)} are not shown. Download it.</div>
      )}
      {text === null && <div className="panel quiet">It is no text in UTF-8. Download it.</div>}
      {typeof text === 'string' && (
        <div className="panel flush source" style={{ display: 'flex', overflowX: 'auto' }}>
          <pre aria-hidden="true" className="quiet numbers" style={{ margin: 0, padding: 12, textAlign: 'right' }}>
            {lines.map((_, index) => index + 1).join('\n')}
          </pre>
          <pre tabIndex={0} aria-label={path} style={{ margin: 0, padding: 12, flex: 1 }}>
            {text}
          </pre>
        </div>
      )}
    </div>
  );
}
