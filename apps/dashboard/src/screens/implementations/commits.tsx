import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isMissing } from '../../data/form-query.ts';
import { commitQuery, commitsQuery } from '../../data/implementation-queries.ts';
import { More } from '../../look/more.tsx';
import { CopyButton, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { BranchChoice } from './branch-choice.tsx';
import { CommitTable, firstLine } from './commit-table.tsx';
import { seenName } from './marked-lines.ts';
import { Changes } from './patch.tsx';
import { searchOf, useImplementationAddress, useWhere } from './use-implementation.ts';

/** Commits of a branch, or those that changed a file, newest first. */
export function Commits() {
  const { acting, implementationId, at } = useImplementationAddress();
  const { ref, path } = useWhere();
  const commits = useInfiniteQuery(commitsQuery(acting, implementationId, { ref, path }));
  const rows = commits.data?.pages.flat() ?? [];
  return (
    <div className="stack">
      <BranchChoice />
      {path !== '' && (
        <p style={{ margin: 0 }}>
          Only commits that changed{' '}
          <Link to={`${at}/file`} search={searchOf({ ref, path })} className="mono">
            {path}
          </Link>
          .
        </p>
      )}
      {commits.isPending && <div className="panel quiet">Loading…</div>}
      {commits.error && <Problem error={commits.error} onRetry={() => void commits.refetch()} />}
      {rows.length > 0 && <CommitTable commits={rows} />}
      <More of={commits} />
    </div>
  );
}

/** One commit with what it changed. */
export function CommitPage() {
  const { acting, implementationId, at } = useImplementationAddress();
  const { commit = '' } = useParams({ strict: false }) as { commit?: string };
  const read = useQuery(commitQuery(acting, implementationId, commit));
  if (isMissing(read)) return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) return <div className="panel quiet">Loading…</div>;
  const { message, author, committedAt, parents, files, patch, isCut } = read.data;
  return (
    <div className="stack">
      <div className="row">
        <Link to={`${at}/commits`}>Commits</Link>
        <h2 style={{ overflowWrap: 'anywhere' }}>{firstLine(message)}</h2>
      </div>
      <div className="row quiet">
        <span>
          {author === '' ? 'nobody named' : seenName(author)}, <Time at={committedAt} />
        </span>
        <span className="mono">{commit.slice(0, 12)}</span>
        <CopyButton value={commit} label="Copy the id of the commit" />
        {parents.map((parent) => (
          <Link key={parent} to={`${at}/commits/${parent}`} title={parent}>
            parent {parent.slice(0, 8)}
          </Link>
        ))}
        <Link to={at} search={{ ref: commit }}>
          Its files
        </Link>
      </div>
      {message.trimEnd() !== firstLine(message) && (
        <pre style={{ margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{message}</pre>
      )}
      {parents.length > 1 && (
        <p className="quiet" style={{ margin: 0 }}>
          It merges {parents.length} commits. The changes are those against the first of them.
        </p>
      )}
      {files.length === 0 ? (
        <div className="panel quiet">It changes no file.</div>
      ) : (
        <Changes files={files} patch={patch} isCut={isCut} />
      )}
    </div>
  );
}
