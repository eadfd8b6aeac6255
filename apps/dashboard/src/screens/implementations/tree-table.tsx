import type { RepositoryTree, TreeEntry } from '@kethub/contract';
import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { treeQuery, type At } from '../../data/implementation-queries.ts';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { seenName } from './marked-lines.ts';
import { below, searchOf, useImplementationAddress } from './use-implementation.ts';
import { TableHead } from '../../look/parts.tsx';

/** Rows that are in the page at first, and that one press of the button adds: thousands would make each key slow. */
const ROWS = 200;
/** Milliseconds without a key after which the platform is asked. */
const PAUSE_MS = 250;
/** Entries from which on they can be searched. */
const SEARCHED = 30;

/** The entries of a folder. */
export function TreeTable({
  tree: { entries, isCut, commit },
  at: { ref, path },
}: {
  readonly tree: RepositoryTree;
  readonly at: At;
}) {
  const { acting, implementationId, at: address } = useImplementationAddress();
  const [wanted, setWanted] = useState('');
  const [most, setMost] = useState(ROWS);
  const text = wanted.trim().toLowerCase();
  const [asked] = useDebouncedValue(text, PAUSE_MS);
  // The entries that are left out of a large folder are known to the platform only.
  const searched = useQuery({
    ...treeQuery(acting, implementationId, { ref, path }, asked),
    enabled: isCut && asked !== '',
    placeholderData: (before) => before,
  });
  const known = isCut && text !== '' && asked !== '' ? searched.data : undefined;
  const found = useMemo(
    () => known?.entries ?? entries.filter(({ name }) => name.toLowerCase().includes(text)),
    [entries, known, text],
  );
  return (
    <>
      {entries.length >= SEARCHED && (
        <TextInput
          aria-label="Find in this folder"
          placeholder={isCut ? 'Find a name, also one that is not shown' : `Find one of ${entries.length} names`}
          maxLength={200}
          value={wanted}
          onChange={(event) => {
            setWanted(event.currentTarget.value);
            setMost(ROWS);
          }}
        />
      )}
      <div className="panel flush">
        <table className="list">
          <TableHead columns={['Name', 'Size']} />
          <tbody>
            {found.slice(0, most).map((entry) => (
              <Row key={entry.name} entry={entry} at={{ ref, path }} address={address} />
            ))}
          </tbody>
        </table>
        {found.length > most && (
          <div className="panel-head">
            <Button size="xs" variant="default" onClick={() => setMost(most + ROWS)}>
              Show more: {found.length - most} are left
            </Button>
          </div>
        )}
        {searched.error && <Problem error={searched.error} onRetry={() => void searched.refetch()} />}
        {found.length === 0 && !searched.isFetching && <p className="quiet panel-text">No name here contains this.</p>}
        {(known?.isCut ?? isCut) && (
          <p className="quiet panel-text">The folder has more entries than are shown. Find the others by name.</p>
        )}
        <p className="quiet small panel-text">
          Commit{' '}
          <Link to={`${address}/commits/${commit}`} className="mono">
            {commit.slice(0, 8)}
          </Link>
        </p>
      </div>
    </>
  );
}

function Row({
  entry,
  at: { ref, path },
  address,
}: {
  readonly entry: TreeEntry;
  readonly at: At;
  readonly address: string;
}) {
  const inner = below(path, entry.name);
  const name = seenName(entry.name);
  return (
    <tr>
      <td>
        {entry.type === 'FOLDER' && (
          <Link to={address} search={searchOf({ ref, path: inner })} className="name">
            {name}/
          </Link>
        )}
        {entry.type !== 'FOLDER' && (
          <Link to={`${address}/file`} search={searchOf({ ref, path: inner })} className="name">
            {name}
          </Link>
        )}
        {entry.type === 'LINK' && <span className="quiet"> (link)</span>}
        {entry.type === 'SUBMODULE' && <span className="quiet"> (submodule)</span>}
      </td>
      <td className="numbers quiet">{entry.bytes === undefined ? '' : bytes(entry.bytes)}</td>
    </tr>
  );
}
