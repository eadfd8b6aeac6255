import { firstStart, nextStart, type ProcessGraph, type StartTimer } from '@kethub/workflow';
import type { Workflows } from '../executions/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { isOutage, type Queries, type WorkflowScheduleRow } from '../../foundation/storage/index.ts';
import type { Graphs } from './graphs.ts';
import type { Pause } from './loop.ts';
import { originOfOwner, startByEvent } from './start-by-event.ts';
import { STANDS_STILL, TRIES } from './stands-still.ts';

const AT_ONCE = 32;
const MISSED = 100_000;
/** Milliseconds before the first retry. Each further pause is twice as long, up to an hour: 14 hours in all. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;
const INTERNAL = 'The platform could not start the workflow. The operator finds the cause in the log.';

/** Starts instances by timer start events that are due: one per due time, of the version deployed last. */
export async function fireSchedules(
  platform: Platform,
  workflows: Workflows,
  graphs: Graphs,
  started: () => void,
): Promise<Pause> {
  const { database, now } = platform;
  const rows = await database.read.selectFrom('workflow_schedules').selectAll().orderBy('due').limit(AT_ONCE).execute();
  const due = rows.filter((row) => row.due <= now());
  for (const row of due) {
    try {
      await fire(platform, workflows, graphs, row);
      started();
    } catch (error) {
      if (isOutage(error)) throw error;
      // The owner may be leaving, for example: the schedule goes with the service. Other schedules do not wait for it.
      await failed(platform, row, error);
    }
  }
  const next = rows.find((row) => !due.includes(row));
  return due.length > 0 ? 0 : next ? next.due - now() : null;
}

async function fire(platform: Platform, workflows: Workflows, graphs: Graphs, row: WorkflowScheduleRow): Promise<void> {
  const { database, now, log } = platform;
  const graph = await graphs.load(row.service_version_id);
  const timer: StartTimer | null = graph && firstOrNext(graph, row, now());
  const started = await database.write(async (transaction) => {
    if (!(await take(transaction, row, timer))) return null;
    // The first due time of a version that was just deployed.
    if (row.timer === null) {
      const what = { version: row.service_version_id, element: row.element_id };
      if (graph && !timer) log.warn(what, 'a timer start event gives no time: it will start nothing');
      return null;
    }
    const service = await transaction
      .selectFrom('service_versions')
      .innerJoin('services', 'services.id', 'service_versions.service_id')
      .select(['services.id', 'owner_type', 'owner_id', 'sunset_at'])
      .where('service_versions.id', '=', row.service_version_id)
      .executeTakeFirst();
    if (!service || (service.sunset_at !== null && service.sunset_at <= now())) return null;
    const owner = { type: service.owner_type, id: service.owner_id };
    const origin = originOfOwner(platform, owner, null, service.id, row.service_version_id);
    return startByEvent(platform, workflows, transaction, origin, { elementId: row.element_id, variables: {} });
  });
  started?.started();
}

/** One start makes up for all times that were missed while no worker ran. */
function firstOrNext(graph: ProcessGraph, row: WorkflowScheduleRow, now: number): StartTimer | null {
  if (row.timer === null) return firstStart(graph, row.element_id, now);
  let next = nextStart(JSON.parse(row.timer) as StartTimer);
  for (let skipped = 0; next && next.due <= now && skipped < MISSED; skipped++) next = nextStart(next);
  return next;
}

/**
 * Retries a start that failed, in growing pauses. After the last try the schedule stands still, with the reason, until
 * an operator retries it or another version is deployed.
 *
 * The next due time is computed from the timer, not from the time of the retry.
 */
async function failed(platform: Platform, row: WorkflowScheduleRow, error: unknown): Promise<void> {
  const { database, log, now, telemetry } = platform;
  const attempts = row.attempts + 1;
  const isOver = attempts >= TRIES;
  const what = { version: row.service_version_id, element: row.element_id, attempts, err: error };
  telemetry.metrics?.workflowRetried('schedule');
  if (isOver) log.error(what, 'a workflow could not be started by its timer: the timer start event is stopped');
  else log.warn(what, 'a workflow could not be started by its timer: it is tried again');
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** row.attempts);
  const values = {
    attempts,
    due: isOver ? STANDS_STILL : now() + pause,
    failure: error instanceof Problem && error.status < 500 ? error.message : INTERNAL,
    stopped_at: isOver ? now() : null,
  };
  await database.write((transaction) =>
    transaction
      .updateTable('workflow_schedules')
      .set(values)
      .where('service_version_id', '=', row.service_version_id)
      .where('element_id', '=', row.element_id)
      .where('due', '=', row.due)
      .execute(),
  );
}

/** Moves the row to its next due time, or deletes it. Returns false when another process has done so. */
async function take(transaction: Queries, row: WorkflowScheduleRow, next: StartTimer | null): Promise<boolean> {
  const values = next && { due: next.due, timer: JSON.stringify(next), attempts: 0, failure: null };
  const same = { version: row.service_version_id, element: row.element_id };
  if (!values) {
    const { numDeletedRows } = await transaction
      .deleteFrom('workflow_schedules')
      .where('service_version_id', '=', same.version)
      .where('element_id', '=', same.element)
      .where('due', '=', row.due)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }
  const { numUpdatedRows } = await transaction
    .updateTable('workflow_schedules')
    .set(values)
    .where('service_version_id', '=', same.version)
    .where('element_id', '=', same.element)
    .where('due', '=', row.due)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
