import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { SHOWN_BYTES, sourceFilesQuery, sourceTextQuery } from '../../data/source-queries.ts';
import { CopyButton } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { saveFrom } from '../../viewers/save.ts';
import { useServiceAddress } from './use-service.ts';

/** Files that are shown first, in this order. */
const FIRST = ['src/program.py', 'README.md', 'Dockerfile'];

/** The files of the source of a version, and the text of one of them. The file stands in the address. */
export function SourcePage() {
  const { acting, serviceId, at } = useServiceAddress();
  const { version = '' } = useParams({ strict: false }) as { version?: string };
  const { file } = useSearch({ strict: false }) as { file?: unknown };
  const files = useQuery(sourceFilesQuery(acting, serviceId, version));
  const download = useMutation({
    mutationFn: async () => saveFrom(await acting.platform.createSourceTicket({ serviceId, version }), version),
  });
  const all = files.data ?? [];
  const wanted = typeof file === 'string' ? file : FIRST.find((path) => all.some((one) => one.path === path));
  const chosen = all.find(({ path }) => path === wanted) ?? (typeof file === 'string' ? undefined : all[0]);
  return (
    <div className="stack">
      <div className="row apart">
        <div className="row">
          <Link to={`${at}/versions`}>Versions</Link>
          <h2 className="numbers">Source of {version}</h2>
        </div>
        <Button size="xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download all
        </Button>
      </div>
      {download.error && <Problem error={download.error} />}
      {files.error && <Problem error={files.error} onRetry={() => void files.refetch()} />}
      {files.isPending && <div className="panel quiet">Loading…</div>}
      {files.isSuccess && (
        <div className="source-split">
          <nav className="panel flush" aria-label="Files">
            <ul className="files">
              {all.map((one) => (
                <li key={one.path}>
                  <Link
                    to={`${at}/versions/${version}/source`}
                    search={{ file: one.path }}
                    aria-current={one.path === chosen?.path ? 'page' : undefined}
                  >
                    <span className="mono">{one.path}</span>
                    <span className="quiet small numbers">{bytes(one.bytes)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {chosen ? (
            <SourceText key={chosen.path} version={version} {...chosen} />
          ) : (
            <div className="panel quiet">
              {all.length === 0 ? 'The ZIP holds no file.' : 'There is no file of this name in the source.'}
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function SourceText({
  version,
  path,
  bytes: size,
}: {
  readonly version: string;
  readonly path: string;
  readonly bytes: number;
}) {
  const { acting, serviceId } = useServiceAddress();
  const isShown = size <= SHOWN_BYTES;
  const text = useQuery({ ...sourceTextQuery(acting, serviceId, version, path), enabled: isShown });
  return (
    <section className="panel flush" aria-label={path}>
      <div className="row apart panel-head">
        <h3 className="mono">{path}</h3>
        {typeof text.data === 'string' && <CopyButton value={text.data} label={`Copy ${path}`} />}
      </div>
      {text.error && <Problem error={text.error} onRetry={() => void text.refetch()} />}
      {!isShown && <p className="quiet panel-text">Files of more than {bytes(SHOWN_BYTES)} are not shown here.</p>}
      {isShown && text.isPending && <p className="quiet panel-text">Loading…</p>}
      {text.data === null && (
        <p className="quiet panel-text">It is no text in UTF-8. Download the source to open it.</p>
      )}
      {typeof text.data === 'string' && (
        <pre className="code bare" tabIndex={0} aria-label={`Text of ${path}`}>
          {text.data}
        </pre>
      )}
    </section>
  );
}
