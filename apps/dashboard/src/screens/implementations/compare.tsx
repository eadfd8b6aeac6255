import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { comparisonQuery, refsQuery } from '../../data/implementation-queries.ts';
import { Problem } from '../../shell/problem.tsx';
import { CommitTable } from './commit-table.tsx';
import { Changes } from './patch.tsx';
import { useImplementationAddress } from './use-implementation.ts';

/** Compares two branches, tags or commits. Both stand in the address. */
export function ComparePage() {
  const { acting, implementationId } = useImplementationAddress();
  const asked = useSearch({ strict: false }) as { base?: unknown; head?: unknown };
  const refs = useQuery(refsQuery(acting, implementationId));
  const base = typeof asked.base === 'string' && asked.base !== '' ? asked.base : (refs.data?.defaultBranch ?? '');
  const head = typeof asked.head === 'string' ? asked.head : '';
  return (
    <div className="stack">
      {refs.error && <Problem error={refs.error} />}
      {/* The fields begin anew with another address. */}
      {base !== '' && <Choice key={`${base} ${head}`} base={base} head={head} />}
      {base !== '' && head !== '' && <Compared base={base} head={head} />}
    </div>
  );
}

/** Names that are suggested while somebody types. */
const SUGGESTED = 500;

function Choice({ base: shownBase, head: shownHead }: { readonly base: string; readonly head: string }) {
  const { acting, implementationId } = useImplementationAddress();
  const refs = useQuery(refsQuery(acting, implementationId));
  const navigate = useNavigate();
  const [base, setBase] = useState(shownBase);
  const [head, setHead] = useState(shownHead);
  const names = new Set([...(refs.data?.branches ?? []), ...(refs.data?.tags ?? [])].map(({ name }) => name));
  return (
    <form
      className="row"
      style={{ alignItems: 'end' }}
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ to: '.', search: { base: base.trim(), head: head.trim() } });
      }}
    >
      <TextInput
        label="From"
        list="refs"
        maxLength={250}
        value={base}
        onChange={(event) => setBase(event.currentTarget.value)}
      />
      <TextInput
        label="To"
        list="refs"
        placeholder="Branch, tag or commit"
        maxLength={250}
        value={head}
        onChange={(event) => setHead(event.currentTarget.value)}
      />
      <datalist id="refs">
        {[...names].slice(0, SUGGESTED).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button type="submit" disabled={base.trim() === '' || head.trim() === ''}>
        Compare
      </Button>
      <Button
        variant="default"
        disabled={shownHead === ''}
        onClick={() => void navigate({ to: '.', search: { base: shownHead, head: shownBase } })}
      >
        Swap
      </Button>
    </form>
  );
}

function Compared({ base, head }: { readonly base: string; readonly head: string }) {
  const { acting, implementationId } = useImplementationAddress();
  const compared = useQuery(comparisonQuery(acting, implementationId, base, head));
  if (isMissing(compared)) return <Problem error={compared.error} onRetry={() => void compared.refetch()} />;
  if (!compared.data) return <div className="panel quiet">Loading…</div>;
  const { ahead, behind, mergeBase, commits, files, patch, isCut } = compared.data;
  return (
    <>
      <p style={{ margin: 0, overflowWrap: 'anywhere' }}>
        {ahead === 0 && behind === 0 ? (
          'Both are the same commit.'
        ) : (
          <>
            <strong>{head}</strong> has {counted(ahead)} that <strong>{base}</strong> lacks, and lacks {counted(behind)}{' '}
            of it.{' '}
            {mergeBase === null
              ? 'They have no commit in common, so all files are shown.'
              : 'The changes are those since their last common commit.'}
          </>
        )}
      </p>
      {commits.length > 0 && <CommitTable commits={commits} />}
      {commits.length < ahead && (
        <p className="quiet" style={{ margin: 0 }}>
          The newest {commits.length} of {ahead} commits.
        </p>
      )}
      {files.length > 0 && <Changes files={files} patch={patch} isCut={isCut} />}
    </>
  );
}

function counted(commits: number): string {
  return commits === 1 ? '1 commit' : `${commits} commits`;
}
