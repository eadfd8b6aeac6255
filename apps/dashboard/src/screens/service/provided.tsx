import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { providedExecutionsQuery } from '../../data/queries.ts';
import { shortId, State, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ranFor } from '../executions/execution-list.tsx';
import { useServiceAddress } from './use-service.ts';

/** Every execution of the service, whoever started it. A provider sees neither input nor result of others. */
export function Provided() {
  const { acting, serviceId } = useServiceAddress();
  const executions = useInfiniteQuery(providedExecutionsQuery(acting, serviceId));
  const rows = executions.data?.pages.flat() ?? [];
  if (executions.error) return <Problem error={executions.error} onRetry={() => void executions.refetch()} />;
  if (executions.isPending) return <div className="panel quiet">Loading…</div>;
  if (rows.length === 0)
    return <div className="panel quiet">Nobody has run this service yet. Every execution of it is listed here.</div>;
  return (
    <div className="stack">
      <p className="quiet" style={{ margin: 0 }}>
        Executions of this service, whoever started them. Input, result and log are seen by those who started it alone.
      </p>
      <div className="panel flush">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Execution</th>
              <th scope="col">State</th>
              <th scope="col">Version</th>
              <th scope="col">Ran</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, status, version, createdAt, startedAt, endedAt }) => (
              <tr key={id}>
                <td className="mono" title={id}>
                  {shortId(id)}
                </td>
                <td>
                  <State of={status} />
                </td>
                <td className="numbers">{version ?? '–'}</td>
                <td className="quiet numbers">{ranFor(startedAt, endedAt)}</td>
                <td className="quiet">
                  <Time at={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {executions.hasNextPage && (
        <Button
          variant="default"
          loading={executions.isFetchingNextPage}
          onClick={() => void executions.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </div>
  );
}
