import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useActing } from '../../data/context.tsx';
import { executionQuery } from '../../data/queries.ts';

/** The way back to the instance of a workflow, at one of its tasks if that is known. Nothing if it is gone. */
export function InstanceLink({
  workflowId,
  workflowInstanceId = workflowId,
  workflowElementId,
  children,
}: {
  readonly workflowId: string;
  readonly workflowInstanceId?: string;
  readonly workflowElementId?: string;
  readonly children: ReactNode;
}) {
  const acting = useActing();
  const { data } = useQuery({ ...executionQuery(acting, workflowId), retry: false });
  if (data?.serviceId === undefined) return null;
  return (
    <Link
      to={`${acting.base}/services/${data.serviceId}/instances/${workflowInstanceId}`}
      search={workflowElementId === undefined ? {} : { element: workflowElementId }}
    >
      {children}
    </Link>
  );
}
