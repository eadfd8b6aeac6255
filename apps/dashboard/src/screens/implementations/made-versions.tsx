import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isMissing } from '../../data/form-query.ts';
import { madeVersionsQuery } from '../../data/implementation-queries.ts';
import { State, TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useImplementationAddress } from './use-implementation.ts';

/** The versions of services that were made of the repository, each with its commit. */
export function MadeVersions() {
  const { acting, implementationId, at } = useImplementationAddress();
  const made = useQuery(madeVersionsQuery(acting, implementationId));
  if (isMissing(made)) return <Problem error={made.error} onRetry={() => void made.refetch()} />;
  if (!made.data) return <div className="panel quiet">Loading…</div>;
  if (made.data.length === 0)
    return (
      <div className="panel quiet">
        No service of yours comes from this repository. With a Dockerfile, a Containerfile or src/program.py at the root
        of its default branch, its Code page offers to create one.
      </div>
    );
  return (
    <section className="panel flush" aria-label="Services of this repository">
      <table className="list">
        <TableHead columns={['Service', 'Version', 'From', 'Made']} />
        <tbody>
          {made.data.map(({ serviceId, serviceName, version, state, ref, commit, createdAt }) => (
            <tr key={`${serviceId} ${version}`}>
              <td>
                <Link to={`${acting.base}/services/${serviceId}/versions`} className="name">
                  {serviceName}
                </Link>
              </td>
              <td>
                <span className="numbers">{version}</span> <State of={state} />
              </td>
              <td style={{ overflowWrap: 'anywhere' }}>
                {ref}{' '}
                <Link to={`${at}/commits/${commit}`} className="mono">
                  {commit.slice(0, 8)}
                </Link>
              </td>
              <td className="quiet">
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
