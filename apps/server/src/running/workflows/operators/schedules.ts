import { toTimestamp, type WorkflowSchedule } from '@kethub/contract';
import { audit } from '../../../people/audit/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { requireService } from '../../../catalog/services/index.ts';
import type { Queries } from '../../../foundation/storage/index.ts';
import { workflowsToDo } from '../wake.ts';

/** Lists the timer start events of the deployed version of a workflow service. Throws not-found. */
export async function readSchedules(
  { database }: Platform,
  context: Context,
  serviceId: string,
): Promise<WorkflowSchedule[]> {
  await requireService(database.read, context, serviceId);
  const rows = await schedulesOf(database.read, serviceId).orderBy('schedule.element_id').execute();
  return rows.map(present);
}

/**
 * Retries a timer start event that has failed: it starts an instance at once, and then at its times again. One that has
 * not failed stays as it is. Throws not-found.
 */
export async function retrySchedule(
  platform: Platform,
  context: Context,
  serviceId: string,
  elementId: string,
): Promise<WorkflowSchedule> {
  const { database, now } = platform;
  const row = await database.write(async (transaction) => {
    await requireService(transaction, context, serviceId);
    const query = schedulesOf(transaction, serviceId).where('schedule.element_id', '=', elementId);
    const found = await query.executeTakeFirst();
    if (!found)
      throw new Problem('not-found', `The deployed version of this workflow has no timer start event ${elementId}.`);
    if (found.failure === null) return found;
    const fresh = { due: now(), attempts: 0, failure: null, stopped_at: null };
    await transaction
      .updateTable('workflow_schedules')
      .set(fresh)
      .where('service_version_id', '=', found.service_version_id)
      .where('element_id', '=', elementId)
      .execute();
    await audit(platform, transaction, context, 'workflow-schedule:retry', serviceId, { elementId });
    return { ...found, ...fresh };
  });
  workflowsToDo(database);
  return present(row);
}

function schedulesOf(queries: Queries, serviceId: string) {
  return queries
    .selectFrom('workflow_schedules as schedule')
    .innerJoin('service_versions', 'service_versions.id', 'schedule.service_version_id')
    .where('service_versions.service_id', '=', serviceId)
    .selectAll('schedule')
    .select('service_versions.version');
}

type ScheduleRow = Awaited<ReturnType<ReturnType<typeof schedulesOf>['execute']>>[number];

/** Presents a schedule. A due time of 0 is unknown until a worker has computed it. */
function present({ element_id, version, due, attempts, failure, stopped_at }: ScheduleRow): WorkflowSchedule {
  return {
    elementId: element_id,
    version,
    ...(stopped_at === null && due > 0 && { nextAt: toTimestamp(due) }),
    failures: attempts,
    failure,
    ...(stopped_at !== null && { stoppedAt: toTimestamp(stopped_at) }),
  };
}
