import type { WorkflowInstanceDetails } from '@kethub/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useActing } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import { taskExecutionsQuery } from '../../data/workflow-queries.ts';
import { More } from '../../look/more.tsx';
import { shortId, State, TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ranFor } from '../executions/execution-list.tsx';

/** Executions that the tasks of an instance have started, of one element or of all. */
export function TaskExecutions({
  instance,
  element,
  nameOf,
}: {
  readonly instance: WorkflowInstanceDetails;
  readonly element: string | null;
  readonly nameOf: (elementId: string) => string;
}) {
  const acting = useActing();
  const executions = useInfiniteQuery(taskExecutionsQuery(acting, instance, element));
  const rows = executions.data?.pages.flat() ?? [];
  if (isMissing(executions)) return <Problem error={executions.error} onRetry={() => void executions.refetch()} />;
  if (executions.isPending) return <p className="quiet">Loading…</p>;
  if (rows.length === 0)
    return (
      <p className="quiet" style={{ margin: 0 }}>
        {element === null ? 'No task has called a service here.' : `${nameOf(element)} has called no service here.`}{' '}
        Services that run elsewhere are listed by their provider.
      </p>
    );
  return (
    <div className="stack">
      {executions.error && <Problem error={executions.error} onRetry={() => void executions.refetch()} />}
      <table className="list">
        <TableHead columns={['Element', 'Service', 'State', 'Ran', 'Execution', 'When']} />
        <tbody>
          {rows.map(({ id, status, workflowElementId, serviceName, version, startedAt, endedAt, createdAt }) => (
            <tr key={id}>
              <td>
                <strong>{workflowElementId === undefined ? '–' : nameOf(workflowElementId)}</strong>
              </td>
              <td>
                {serviceName ?? 'Deleted service'} <span className="quiet numbers">{version}</span>
              </td>
              <td>
                <State of={status} />
              </td>
              <td className="quiet numbers">{ranFor(startedAt, endedAt)}</td>
              <td>
                <Link to={`${acting.base}/executions/${id}`} className="mono" title={id}>
                  {shortId(id)}
                </Link>
              </td>
              <td className="quiet">
                <Time at={createdAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <More of={executions} />
    </div>
  );
}
