import type { Event, Value } from '@kethub/workflow';
import type { AcceptedWorkflow } from '../executions/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { WorkflowInstanceRow } from '../../foundation/storage/index.ts';
import { sealSecrets } from './secrets.ts';

/** The instance of an execution before its first step. */
export function newInstance(
  platform: Platform,
  { row: { id, service_version_id, created_at, owner_type, owner_id }, input: { secrets }, depth }: AcceptedWorkflow,
): WorkflowInstanceRow {
  return {
    id,
    execution_id: id,
    owner: `${owner_type} ${owner_id}`,
    parent_id: null,
    parent_child: null,
    service_version_id,
    process_id: null,
    depth,
    phase: 'NEW',
    revision: 0,
    incidents: 0,
    child_incidents: 0,
    state: null,
    bytes: 0,
    sealed_secrets: secrets && sealSecrets(platform, secrets),
    created_at,
    ended_at: null,
  };
}

/** The event that starts the instance. */
export function startEvent({ row: { id }, input, startEvent: element }: AcceptedWorkflow): Event {
  const variables = input.members as { [name: string]: Value };
  return {
    type: 'start',
    variables,
    seed: id,
    ...(element !== undefined && { startEvent: element }),
    ...(input.secrets && { secrets: Object.keys(input.secrets) }),
  };
}
