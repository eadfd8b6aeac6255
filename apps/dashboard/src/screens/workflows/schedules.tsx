import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMay } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import { schedulesQuery } from '../../data/workflow-queries.ts';
import { TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from '../service/use-service.ts';

/** Timer start events of the deployed version: the next time, or why they start nothing. */
export function Schedules() {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const mayRetry = useMay('workflow-schedule:retry');
  const schedules = useQuery(schedulesQuery(acting, serviceId));
  const retry = useMutation({
    mutationFn: (elementId: string) => acting.platform.retryWorkflowSchedule({ serviceId, elementId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: schedulesQuery(acting, serviceId).queryKey }),
  });
  if (isMissing(schedules)) return <Problem error={schedules.error} onRetry={() => void schedules.refetch()} />;
  if (!schedules.data || schedules.data.length === 0) return null;
  return (
    <section className="panel flush" aria-labelledby="schedules">
      <div className="panel-head">
        <h2 id="schedules">Starts by time</h2>
      </div>
      {retry.error && <Problem error={retry.error} />}
      <table className="list">
        <TableHead columns={['Start event', 'Version', 'Next start', 'Last failure']} />
        <tbody>
          {schedules.data.map(({ elementId, version, nextAt, failure, failures, stoppedAt }) => (
            <tr key={elementId}>
              <td>
                <strong>{elementId}</strong>
              </td>
              <td className="numbers">{version}</td>
              <td className="quiet">
                {stoppedAt !== undefined ? 'stopped' : nextAt === undefined ? 'not known' : <Time at={nextAt} />}
              </td>
              <td>
                {failure !== null && (
                  <span className="row">
                    <span>
                      {failure} <span className="quiet">({failures} in a row)</span>
                    </span>
                    {mayRetry && (
                      <Button
                        size="compact-xs"
                        variant="default"
                        aria-label={`Start ${elementId} again`}
                        loading={retry.isPending}
                        onClick={() => retry.mutate(elementId)}
                      >
                        Start again
                      </Button>
                    )}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
