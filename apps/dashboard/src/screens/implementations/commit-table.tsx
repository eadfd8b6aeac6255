import type { RepositoryCommit } from '@kethub/contract';
import { Link } from '@tanstack/react-router';
import { TableHead, Time } from '../../look/parts.tsx';
import { seenName } from './marked-lines.ts';
import { useImplementationAddress } from './use-implementation.ts';

/** Commits in rows, each a link. */
export function CommitTable({ commits }: { readonly commits: readonly RepositoryCommit[] }) {
  const { at } = useImplementationAddress();
  return (
    <div className="panel flush">
      <table className="list">
        <TableHead columns={['Message', 'Author', 'Time', 'Commit']} />
        <tbody>
          {commits.map(({ id, message, author, committedAt }) => (
            <tr key={id}>
              <td style={{ overflowWrap: 'anywhere' }}>
                <Link to={`${at}/commits/${id}`} className="name">
                  {firstLine(message)}
                </Link>
              </td>
              <td className="quiet">{seenName(author)}</td>
              <td className="quiet">
                <Time at={committedAt} />
              </td>
              <td className="mono quiet">{id.slice(0, 8)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Characters of the first line of a message that are shown. */
const SHOWN = 200;

export function firstLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line === '' ? '(no message)' : seenName(line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line);
}
