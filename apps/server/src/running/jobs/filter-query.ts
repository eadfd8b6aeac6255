import {
  executionStatuses,
  fromTimestamp,
  Id,
  limits,
  Tag,
  Timestamp,
  Version,
  worded,
  type ExecutionStatus,
} from '@kethub/contract';
import { Type, type Static } from 'typebox';
import type { ExecutionFilter } from '../executions/index.ts';
import { Problem } from '../../foundation/http/index.ts';

const oneStatus = `(?:${executionStatuses.join('|')})`;

/** The filters of a provider, who does not see who has started an execution. */
export const ProvidedQuery = Type.Object({
  status: Type.Optional(
    Type.String({
      pattern: worded(
        `^${oneStatus}(?:,${oneStatus})*$`,
        'must be statuses with commas between, such as FAILED,UNKNOWN',
      ),
      maxLength: 200,
      description: 'One status, or several with commas between.',
      examples: ['FAILED,UNKNOWN'],
    }),
  ),
  version: Type.Optional(Version),
  from: Type.Optional(Type.String({ ...Timestamp, description: 'Created at this time (UTC) or later.' })),
  to: Type.Optional(Type.String({ ...Timestamp, description: 'Created before this time (UTC).' })),
});
export type ProvidedQuery = Static<typeof ProvidedQuery>;

export const OwnedQuery = Type.Object({
  ...ProvidedQuery.properties,
  serviceId: Type.Optional(Id),
  tag: Type.Optional(Tag),
  applicationId: Type.Optional(Id),
  personId: Type.Optional(Id),
  workflowId: Type.Optional(
    Type.String({ ...Id, description: 'Execution of a workflow: what its tasks have started.' }),
  ),
  workflowInstanceId: Type.Optional(
    Type.String({
      ...Id,
      description: 'Instance of the workflow that `workflowId` names: what its tasks have started.',
    }),
  ),
  workflowElementId: Type.Optional(
    Type.String({ minLength: 1, maxLength: limits.nameLength, description: 'Only one task of `workflowInstanceId`.' }),
  ),
  tasks: Type.Optional(Type.Boolean({ description: 'false: without what tasks of workflows have started.' })),
});
export type OwnedQuery = Static<typeof OwnedQuery>;

/** The filter that a query asks for. Throws invalid-request for a time that does not exist, and for half a filter. */
export function filterOf({ status, from, to, tasks, ...same }: OwnedQuery): ExecutionFilter {
  const { serviceId, version, tag, applicationId, personId } = same;
  const { workflowId, workflowInstanceId, workflowElementId } = same;
  if (workflowInstanceId !== undefined && workflowId === undefined)
    throw new Problem('invalid-request', 'workflowInstanceId needs workflowId beside it.');
  if (workflowElementId !== undefined && workflowInstanceId === undefined)
    throw new Problem('invalid-request', 'workflowElementId needs workflowInstanceId beside it.');
  return {
    serviceId,
    version,
    tag,
    applicationId,
    personId,
    workflowId,
    workflowInstanceId,
    workflowElementId,
    ...(status !== undefined && { statuses: status.split(',') as ExecutionStatus[] }),
    ...(tasks === false && { withoutTasks: true }),
    ...(from !== undefined && { from: timeOf('from', from) }),
    ...(to !== undefined && { to: timeOf('to', to) }),
  };
}

export function timeOf(name: string, text: string): number {
  const time = fromTimestamp(text);
  if (time === null) throw new Problem('invalid-request', `There is no such time as ${name}=${text}.`);
  return time;
}

/** The URL of a list with its filters. */
export function addressOf(address: string, query: OwnedQuery): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (Object.hasOwn(OwnedQuery.properties, name) && value !== undefined) search.set(name, String(value));
  return search.size === 0 ? address : `${address}?${search.toString()}`;
}
