import type { ErrorEnvelope } from '@kethub/workflow';
import type { Platform } from '../../../foundation/platform.ts';
import { insertMany, type Queries, type WorkflowIncidentRow } from '../../../foundation/storage/index.ts';
import type { Numbered } from './effects.ts';
import { removeNumbered } from './numbered-rows.ts';
import type { Advanced } from './reduce.ts';

/** Characters of a message that lists show. The instance has the whole of it. */
const MESSAGE_LENGTH = 2_000;

const columns = [
  'id',
  'instance_id',
  'incident',
  'service_version_id',
  'element_id',
  'element',
  'type',
  'error_code',
  'error',
  'at',
] as const;

/** Writes the incidents that steps have opened, and removes those that they have closed. */
export async function storeIncidents(
  { newId }: Pick<Platform, 'newId'>,
  transaction: Queries,
  advanced: readonly Advanced[],
): Promise<void> {
  const opened: WorkflowIncidentRow[] = [];
  const closed: Numbered[] = [];
  for (const { row, before, next } of advanced) {
    if (next === null) continue;
    const old = before?.state.incidents;
    // An instance that has ended has none any more, also one that was given up.
    const open = next.phase === 'RUNNING' ? next.live?.incidents : undefined;
    if (old === open) continue;
    for (const key of old?.keys() ?? []) if (!open?.has(key)) closed.push({ instance_id: row.id, number: key });
    for (const { incident, elementId, element, type, at, error } of open?.values() ?? []) {
      if (old?.has(incident)) continue;
      opened.push({
        id: newId(),
        instance_id: row.id,
        incident,
        service_version_id: row.service_version_id,
        element_id: elementId,
        element,
        type,
        error_code: error.errorCode,
        error: JSON.stringify(shortened(error)),
        at,
      });
    }
  }
  await removeNumbered(transaction, 'workflow_incidents', 'incident', closed);
  await insertMany(transaction, 'workflow_incidents', columns, opened);
}

function shortened({ response: _response, message, ...error }: ErrorEnvelope): ErrorEnvelope {
  return { ...error, message: message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH)}…` : message };
}
