import type { ExecutionStatus } from '@kethub/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../../foundation/storage/index.ts';

/** Restricts a list of executions. What is absent restricts nothing. */
export interface ExecutionFilter {
  readonly tag?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly version?: string | undefined;
  readonly statuses?: readonly ExecutionStatus[] | undefined;
  readonly applicationId?: string | undefined;
  readonly personId?: string | undefined;
  /** Execution of a workflow, whose tasks started them. */
  readonly workflowId?: string | undefined;
  /** Instance of a workflow, and an element in it, whose tasks started them. */
  readonly workflowInstanceId?: string | undefined;
  readonly workflowElementId?: string | undefined;
  /** Says whether executions that tasks of workflows started are left out. */
  readonly withoutTasks?: boolean | undefined;
  /** Epoch milliseconds of the creation: from the first to before the second. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * An id is made before its execution is created, by a task at most this many milliseconds. It bounds the part of the
 * index of ids that is read.
 */
const ID_BEFORE_CREATION_MS = 7 * 24 * 60 * 60 * 1000;

/** The filter as a condition of SQL, without its tag. */
export function matching(filter: ExecutionFilter) {
  const { serviceId, version, statuses, applicationId, personId, workflowId, withoutTasks, from, to } = filter;
  const { workflowInstanceId: instance, workflowElementId: element } = filter;
  const { first, end } = idsOf(filter);
  return (where: ExpressionBuilder<Tables, 'executions'>) =>
    where.and([
      ...(serviceId === undefined ? [] : [where('executions.service_id', '=', serviceId)]),
      ...(version === undefined ? [] : [versionIs(where, serviceId, version)]),
      ...(statuses === undefined ? [] : [where('executions.status', 'in', statuses)]),
      ...(applicationId === undefined ? [] : [where('executions.application_id', '=', applicationId)]),
      ...(personId === undefined ? [] : [where('executions.person_id', '=', personId)]),
      ...(workflowId === undefined ? [] : [where('executions.workflow_id', '=', workflowId)]),
      ...(instance === undefined || element !== undefined
        ? []
        : [where('executions.workflow_task', 'like', `${instance} %`)]),
      ...(element === undefined ? [] : [where('executions.workflow_task', '=', `${instance} ${element}`)]),
      ...(withoutTasks === true ? [where('executions.workflow_id', 'is', null)] : []),
      ...(from === undefined ? [] : [where('executions.created_at', '>=', from)]),
      ...(first === null ? [] : [where('executions.id', '>=', first)]),
      ...(to === undefined ? [] : [where('executions.created_at', '<', to)]),
      ...(end === null ? [] : [where('executions.id', '<', end)]),
    ]);
}

function versionIs(where: ExpressionBuilder<Tables, 'executions'>, serviceId: string | undefined, version: string) {
  const versions = where
    .selectFrom('service_versions')
    .select('service_versions.id')
    .where('service_versions.version', '=', version);
  // One version is found before executions are read, so that its index can be used.
  return serviceId === undefined
    ? where(
        'executions.service_version_id',
        'in',
        versions.whereRef('service_versions.service_id', '=', 'executions.service_id'),
      )
    : where('executions.service_version_id', '=', versions.where('service_versions.service_id', '=', serviceId));
}

/** The range of ids that a filter allows: from `first` to before `end`. */
export function idsOf({ from, to }: ExecutionFilter): { readonly first: string | null; readonly end: string | null } {
  return {
    first: from === undefined ? null : firstIdAt(from - ID_BEFORE_CREATION_MS),
    end: to === undefined ? null : firstIdAt(to),
  };
}

/** The beginning of ids (UUID version 7) that are made at a time or later. */
function firstIdAt(epochMs: number): string {
  const hex = Math.max(0, epochMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
