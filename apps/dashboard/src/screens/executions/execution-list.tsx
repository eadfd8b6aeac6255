import type { OwnedExecution } from '@kethub/contract';
import { Link } from '@tanstack/react-router';
import { useActing } from '../../data/context.tsx';
import { LongRows } from '../../look/long-rows.tsx';
import { shortId, State, TableHead, Time } from '../../look/parts.tsx';
import { duration, parseTime } from '../../look/time.ts';

export type ExecutionRow = Pick<OwnedExecution, 'id' | 'status' | 'createdAt' | 'applicationId'> & {
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  readonly serviceName?: string | undefined;
  readonly version?: string | undefined;
  readonly tags?: readonly string[] | undefined;
};

/** Executions that were started for the person or the organization. */
export function ExecutionList({
  rows,
  isLoading,
}: {
  readonly rows: readonly ExecutionRow[];
  readonly isLoading: boolean;
}) {
  const { base } = useActing();
  if (isLoading) return <div className="panel quiet">Loading…</div>;
  if (rows.length === 0)
    return (
      <div className="panel empty">
        <p style={{ margin: 0 }}>
          Nothing has been run here yet. Open a <Link to={`${base}/services`}>service</Link> and press Run.
        </p>
      </div>
    );
  return (
    <div className="panel flush">
      <table className="list" aria-rowcount={rows.length + 1}>
        <TableHead columns={['Service', 'State', 'Version', 'Started by', 'Ran', 'When']} />
        <LongRows rows={rows}>
          {({ id, status, serviceName, version, applicationId, createdAt, startedAt, endedAt, tags }) => (
            <>
              <td>
                <Link to={`${base}/executions/${id}`} className="name">
                  {serviceName ?? 'Deleted service'}
                </Link>{' '}
                <span className="mono small quiet" title={id}>
                  {shortId(id)}
                </span>
                {tags && tags.length > 0 && <span className="small quiet"> · {tags.join(', ')}</span>}
              </td>
              <td>
                <State of={status} />
              </td>
              <td className="numbers">{version ?? '–'}</td>
              <td className="quiet">{applicationId === null ? 'a person' : 'an application'}</td>
              <td className="quiet numbers">{ranFor(startedAt, endedAt)}</td>
              <td className="quiet">
                <Time at={createdAt} />
              </td>
            </>
          )}
        </LongRows>
      </table>
    </div>
  );
}

/** Run time of an execution. The times of the interface are whole seconds. */
export function ranFor(startedAt: string | undefined, endedAt: string | undefined): string {
  if (startedAt === undefined || endedAt === undefined) return '';
  const ms = parseTime(endedAt) - parseTime(startedAt);
  return ms < 1_000 ? 'under 1 s' : duration(ms);
}
