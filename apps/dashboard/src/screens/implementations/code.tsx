import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { implementationQuery, treeQuery, type At } from '../../data/implementation-queries.ts';
import { Code as Snippet } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { Archive } from './branches.tsx';
import { BranchChoice } from './branch-choice.tsx';
import { CreateService } from './create-service.tsx';
import { ImportPanel } from './import.tsx';
import { seenName } from './marked-lines.ts';
import { Readme } from './readme.tsx';
import { searchOf, useImplementationAddress, useWhere } from './use-implementation.ts';
import { TreeTable } from './tree-table.tsx';
import { Upload } from './upload.tsx';

/** A folder of the repository, with its README below. */
export function Code() {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  const implementation = useQuery(implementationQuery(acting, implementationId));
  const { head = null, role = 'VIEWER', buildable = null, name = '' } = implementation.data?.value ?? {};
  const tree = useQuery({
    ...treeQuery(acting, implementationId, { ref, path }),
    enabled: head !== null || ref !== null,
  });
  const isEmpty = implementation.data !== undefined && head === null && ref === null;
  const [asked, setAsked] = useState<'service' | 'upload' | null>(null);
  const mayPush = isEnough(role, 'implementation:push') && implementation.data?.value.readOnly === null;
  const upload = mayPush && (
    <>
      <Button size="xs" variant="default" onClick={() => setAsked('upload')}>
        Upload files
      </Button>
      <Link to={`${at}/edit`} search={{ ...(ref !== null && { ref }), ...(path !== '' && { folder: path }) }}>
        New file
      </Link>
    </>
  );
  const page =
    implementation.data && isEmpty ? (
      <>
        <ImportPanel />
        <Empty url={implementation.data.value.cloneUrl} branch={implementation.data.value.defaultBranch} />
        <div className="row" style={{ marginTop: 12 }}>
          {upload}
        </div>
      </>
    ) : (
      <div className="stack">
        <div className="row apart">
          <BranchChoice />
          <div className="row">
            {upload}
            <Archive gitRef={ref} format="zip" verb="Download" />
            {buildable !== null && isEnough(role, 'implementation:build') && (
              <Button size="xs" onClick={() => setAsked('service')}>
                Create a service
              </Button>
            )}
          </div>
        </div>
        <Trail at={{ ref, path }} address={at} />
        {implementation.data?.value.readOnly === 'IMPORT' && <ImportPanel />}
        {tree.isPending && <div className="panel quiet">Loading…</div>}
        {tree.error && <Problem error={tree.error} onRetry={() => void tree.refetch()} />}
        {tree.data && <TreeTable key={`${ref ?? ''}:${path}`} tree={tree.data} at={{ ref, path }} />}
        {tree.data && <Readme tree={tree.data} at={{ ref, path }} />}
      </div>
    );
  // A dialog stays where a first push takes the place of the empty page: files and texts in it are kept.
  return (
    <>
      {page}
      {asked === 'service' && <CreateService name={name} onClose={() => setAsked(null)} />}
      {asked === 'upload' && (
        <Upload
          head={isEmpty ? '' : (tree.data?.commit ?? null)}
          failure={tree.error}
          onRetry={() => void tree.refetch()}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

/** The folders above, each a link. */
export function Trail({ at: { ref, path }, address }: { readonly at: At; readonly address: string }) {
  if (path === '') return null;
  const names = path.split('/');
  return (
    <nav aria-label="Folder" className="mono">
      <Link to={address} search={searchOf({ ref, path: '' })}>
        root
      </Link>
      {names.map((name, index) => (
        <span key={names.slice(0, index + 1).join('/')}>
          {' / '}
          {index === names.length - 1 ? (
            <strong>{seenName(name)}</strong>
          ) : (
            <Link to={address} search={searchOf({ ref, path: names.slice(0, index + 1).join('/') })}>
              {seenName(name)}
            </Link>
          )}
        </span>
      ))}
    </nav>
  );
}

function Empty({ url, branch }: { readonly url: string; readonly branch: string }) {
  return (
    <div className="panel stack">
      <p style={{ margin: 0 }}>
        There is no code yet. Push what you have; Git asks for a user name (any) and a password, which is a personal
        access token.
      </p>
      <Snippet
        label="Commands"
        text={`git init -b ${branch}\ngit add . && git commit -m "First version"\ngit remote add kethub ${url}\ngit push -u kethub ${branch}`}
      />
    </div>
  );
}
