import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useActing, useMay } from '../../data/context.tsx';
import { executionQuery, isEnded, recordQuery, serviceQuery } from '../../data/queries.ts';
import { sharedServiceQuery } from '../../data/sharing-queries.ts';
import { Icon } from '../../look/icons.tsx';
import { Ket, PageHead, shortId, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { CompareWith } from '../compare/compare-with.tsx';
import { DeleteExecution } from './delete-execution.tsx';
import { ExecutionPanel } from './execution-panel.tsx';
import { InstanceLink } from './instance-link.tsx';

export function ExecutionPage() {
  const acting = useActing();
  const { executionId = '' } = useParams({ strict: false }) as { executionId?: string };
  const mayStart = useMay('execution:start');
  const mayDelete = useMay('execution:delete');
  const execution = useQuery(executionQuery(acting, executionId));
  const record = useQuery({ ...recordQuery(acting, executionId), enabled: execution.isSuccess });
  const name = record.data?.service.name;
  const version = record.data?.service.version;
  useTitle(`${name ?? 'Execution'} ${shortId(executionId)}`);
  const { serviceId = '' } = execution.data ?? {};
  const service = useQuery({ ...serviceQuery(acting, serviceId), enabled: serviceId !== '', retry: false });
  // Those who are no owner run it where it is shared with them.
  const shared = useQuery({ ...sharedServiceQuery(acting, serviceId), enabled: service.isError, retry: false });
  const isOpened = shared.data?.versions.some(({ opens }) => opens.includes('JOBS')) === true;
  return (
    <>
      <PageHead
        trail={<Link to={`${acting.base}/executions`}>Executions</Link>}
        title={name === undefined ? `Execution ${shortId(executionId)}` : <Ket>{name}</Ket>}
        note={
          <span className="quiet">
            {version !== undefined && <>version {version}, </>}
            {execution.data && <Time at={execution.data.createdAt} />}
            <span className="mono small"> {executionId}</span>
          </span>
        }
        actions={
          <>
            {service.data?.type === 'WORKFLOW' && (
              <Link to={`${acting.base}/services/${serviceId}/instances/${executionId}`}>Its instance</Link>
            )}
            {record.data?.workflowId !== undefined && (
              <InstanceLink {...record.data} workflowId={record.data.workflowId}>
                The instance whose task has started it
              </InstanceLink>
            )}
            <CompareWith id={executionId} serviceId={execution.data?.serviceId} />
            {execution.data && isEnded(execution.data) && mayDelete && <DeleteExecution id={executionId} />}
            {(service.isSuccess || isOpened) && mayStart && (
              <Button
                variant="default"
                leftSection={<Icon name="run" size={14} />}
                renderRoot={(props) => (
                  <Link
                    data-key="r"
                    to={`${acting.base}/${service.isSuccess ? 'services' : 'shared'}/${serviceId}/run`}
                    search={{ version, execution: executionId }}
                    {...props}
                  />
                )}
              >
                Run again
              </Button>
            )}
          </>
        }
      />
      <ExecutionPanel id={executionId} />
    </>
  );
}
