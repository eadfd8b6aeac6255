import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { commitQuery, commitsQuery } from '../../data/implementation-queries.ts';
import { More } from '../../look/more.tsx';
import { CopyButton, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { BranchChoice } from './branch-choice.tsx';
import { useImplementationAddress, useWhere } from './use-implementation.ts';

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
          Only commits that changed <code>{path}</code>.
        </p>
      )}
      {commits.error && <Problem error={commits.error} onRetry={() => void commits.refetch()} />}
      {rows.length > 0 && (
        <div className="panel flush">
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Message</th>
                <th scope="col">Author</th>
                <th scope="col">Time</th>
                <th scope="col">Commit</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ id, message, author, committedAt }) => (
                <tr key={id}>
                  <td>
                    <Link to={`${at}/commits/${id}`}>{firstLine(message)}</Link>
                  </td>
                  <td className="quiet">{author}</td>
                  <td className="quiet">
                    <Time at={committedAt} />
                  </td>
                  <td className="mono quiet">{id.slice(0, 8)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More of={commits} />
    </div>
  );
}

/** One commit with what it changed. */
export function CommitPage() {
  const { acting, implementationId, at } = useImplementationAddress();
  const { commit = '' } = useParams({ strict: false }) as { commit?: string };
  const read = useQuery(commitQuery(acting, implementationId, commit));
  if (read.error) return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  if (!read.data) return <div className="panel quiet">Loading…</div>;
  const { message, author, committedAt, parents, files, patch, isCut } = read.data;
  return (
    <div className="stack">
      <div className="row">
        <Link to={`${at}/commits`}>Commits</Link>
        <h2>{firstLine(message)}</h2>
      </div>
      <div className="row quiet">
        <span>
          {author}, <Time at={committedAt} />
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
      {message.includes('\n') && <pre style={{ margin: 0, whiteSpace: 'pre-wrap' }}>{message}</pre>}
      <section className="panel flush" aria-label="Changed files">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">Change</th>
              <th scope="col">Lines</th>
            </tr>
          </thead>
          <tbody>
            {files.map(({ path, formerPath, change, added, removed }) => (
              <tr key={path}>
                <td className="mono">
                  {formerPath !== undefined && <span className="quiet">{formerPath} → </span>}
                  {path}
                </td>
                <td className="quiet">{change.toLowerCase().replaceAll('_', ' ')}</td>
                <td className="numbers">{added === undefined ? 'binary' : `+${added} −${removed ?? 0}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {isCut && (
        <p className="quiet">The change is too large to be shown whole. Clone the repository to see the rest.</p>
      )}
      {patch !== '' && <Patch text={patch} />}
    </div>
  );
}

/** A unified diff. Added and removed lines begin with + and −, also for who does not see their colours. */
function Patch({ text }: { readonly text: string }) {
  return (
    <pre className="code" tabIndex={0} aria-label="Changes">
      {text.split('\n').map((line, index) => (
        <span key={index} style={{ color: colourOf(line) }}>
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  );
}

function colourOf(line: string): string {
  if (line.startsWith('+') && !line.startsWith('+++')) return 'var(--succeeded)';
  if (line.startsWith('-') && !line.startsWith('---')) return 'var(--failed)';
  return line.startsWith('@@') || line.startsWith('diff ') ? 'var(--quiet)' : 'var(--ink)';
}

function firstLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line === '' ? '(no message)' : line;
}
