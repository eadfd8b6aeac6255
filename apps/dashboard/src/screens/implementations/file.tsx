import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import {
  fileQuery,
  implementationQuery,
  refsQuery,
  SHOWN_BYTES,
  treeQuery,
} from '../../data/implementation-queries.ts';
import { CopyButton } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { BranchChoice } from './branch-choice.tsx';
import { Trail } from './code.tsx';
import { DeleteFile } from './delete-file.tsx';
import { hasHiddenSigns, seenName } from './marked-lines.ts';
import { Picture, pictureType, useObjectUrl } from './picture.tsx';
import { pathFrom } from './relative-path.ts';
import { RepositoryMarkdown } from './readme.tsx';
import { Source } from './source.tsx';
import { searchOf, useImplementationAddress, useWhere } from './use-implementation.ts';
import { useText } from './use-text.ts';

/** Bytes of a picture that is shown. */
const PICTURE_BYTES = 5 * 1024 * 1024;

/** One file: its text with colours and the numbers of the lines, or a picture, and its download. */
export function FilePage() {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parent = path.slice(0, -name.length - 1);
  const folder = useQuery(treeQuery(acting, implementationId, { ref, path: parent }, name));
  const entry = folder.data?.entries.find((one) => one.name === name);
  const size = entry?.type === 'FILE' ? (entry.bytes ?? null) : null;
  const isPicture = pictureType(path) !== null;
  const isShown = size !== null && size <= (isPicture ? PICTURE_BYTES : SHOWN_BYTES);
  if (path === '' || entry?.type === 'FOLDER') return <Navigate to={at} search={searchOf({ ref, path })} replace />;
  return (
    <div className="stack">
      <div className="row apart">
        <BranchChoice />
        {size !== null && <Actions size={size} commit={folder.data?.commit ?? null} isShown={isShown} />}
      </div>
      <Trail at={{ ref, path }} address={at} />
      {folder.isPending && <div className="panel quiet">Loading…</div>}
      {folder.error && <Problem error={folder.error} onRetry={() => void folder.refetch()} />}
      {folder.data && size === null && (
        <div className="panel quiet">
          {entry?.type === 'LINK' ? (
            <LinkTarget />
          ) : entry?.type === 'SUBMODULE' ? (
            'It is a submodule: a commit of another repository, whose files are not here.'
          ) : (
            'There is no file of this name here.'
          )}
        </div>
      )}
      {size !== null && !isShown && (
        <div className="panel quiet">
          It has {bytes(size)}. Files of more than {bytes(isPicture ? PICTURE_BYTES : SHOWN_BYTES)} are not shown:
          download it.
        </div>
      )}
      {isShown && <Content isPicture={isPicture} />}
    </div>
  );
}

/** The path that a symbolic link holds. */
function LinkTarget() {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  const written = useText(useQuery(fileQuery(acting, implementationId, { ref, path })).data);
  const target = typeof written === 'string' ? pathFrom(path, encodeURIComponent(written)) : null;
  if (typeof written !== 'string') return 'It is a link to another file.';
  return (
    <>
      It is a link to{' '}
      {target === null || written.startsWith('/') ? (
        <code>{seenName(written)}</code>
      ) : (
        <Link to={`${at}/file`} search={searchOf({ ref, path: target })}>
          {seenName(written)}
        </Link>
      )}
      .
    </>
  );
}

function Content({ isPicture }: { readonly isPicture: boolean }) {
  const { acting, implementationId } = useImplementationAddress();
  const { ref, path } = useWhere();
  const file = useQuery(fileQuery(acting, implementationId, { ref, path }));
  const text = useText(file.data);
  const [isRendered, setRendered] = useState(false);
  if (isMissing(file)) return <Problem error={file.error} onRetry={() => void file.refetch()} />;
  if (text === undefined) return <div className="panel quiet">Loading…</div>;
  const isMarkdown = /\.(?:md|markdown)$/i.test(path);
  return (
    <>
      {isPicture && (
        <div className="panel">
          <Picture at={{ ref, path }} text={path} isWhole />
        </div>
      )}
      {text === null && !isPicture && (
        <div className="panel quiet">It is a binary file, or no text in UTF-8. Download it.</div>
      )}
      {text === '' && <div className="panel quiet">The file is empty.</div>}
      {typeof text === 'string' && text !== '' && (
        <>
          {hasHiddenSigns(text) && (
            <div className="panel" role="note" style={{ borderLeft: '3px solid var(--waiting)' }}>
              This file holds signs that change the direction of text. It may do something else than it seems to.
            </div>
          )}
          {isMarkdown && (
            <div>
              <Button size="xs" variant="default" aria-pressed={isRendered} onClick={() => setRendered(!isRendered)}>
                {isRendered ? 'Show its text' : 'Show it rendered'}
              </Button>
            </div>
          )}
          <div className={isRendered ? 'panel' : 'panel flush'}>
            {isRendered ? <RepositoryMarkdown text={text} at={{ ref, path }} /> : <Source text={text} path={path} />}
          </div>
        </>
      )}
    </>
  );
}

function Actions({
  size,
  commit,
  isShown,
}: {
  readonly size: number;
  readonly commit: string | null;
  readonly isShown: boolean;
}) {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  const name = path.slice(path.lastIndexOf('/') + 1);
  const file = useQuery({ ...fileQuery(acting, implementationId, { ref, path }), enabled: isShown });
  const text = useText(file.data);
  const raw = useObjectUrl(typeof text === 'string' ? file.data : undefined, 'text/plain;charset=utf-8');
  const refs = useQuery(refsQuery(acting, implementationId));
  const { role = 'VIEWER', readOnly = null } =
    useQuery(implementationQuery(acting, implementationId)).data?.value ?? {};
  const [isDeleting, setDeleting] = useState(false);
  const isBranch = refs.data?.branches.some((one) => one.name === (ref ?? refs.data.defaultBranch)) ?? false;
  const mayChange = isBranch && readOnly === null && isEnough(role, 'implementation:push');
  const download = useMutation({
    mutationFn: async () => {
      const read = { implementationId, path, ...(ref !== null && { ref }) };
      save(await (await acting.platform.readImplementationFile(read)).blob(), name);
    },
  });
  return (
    <div className="row">
      <span className="quiet numbers">{bytes(size)}</span>
      <Link to={`${at}/commits`} search={searchOf({ ref, path })}>
        History
      </Link>
      {commit !== null && (
        <Link to={`${at}/file`} search={{ ref: commit, path }} title="The address of the file as it is in this commit">
          Permanent link
        </Link>
      )}
      {raw !== null && (
        <a href={raw} target="_blank" rel="noopener">
          Raw
        </a>
      )}
      {typeof text === 'string' && <CopyButton value={text} label="Copy the text" />}
      <Button size="xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        Download
      </Button>
      {mayChange && typeof text === 'string' && (
        <Link to={`${at}/edit`} search={searchOf({ ref, path })}>
          Edit or rename
        </Link>
      )}
      {mayChange && (
        <Button size="xs" variant="default" onClick={() => setDeleting(true)} style={{ color: 'var(--failed)' }}>
          Delete
        </Button>
      )}
      {download.error && <Problem error={download.error} />}
      {isDeleting && commit !== null && <DeleteFile head={commit} onClose={() => setDeleting(false)} />}
    </div>
  );
}
