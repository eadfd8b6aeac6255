import { sql } from 'kysely';
import type { Platform } from '../../foundation/platform.ts';
import { isOutage, recordsOf, type WorkflowTimerRow } from '../../foundation/storage/index.ts';
import { eventRow, insertEvents, type NewEvent } from './advance/index.ts';
import { inParts } from './in-parts.ts';
import { pauseAfter } from './calls/index.ts';
import type { Pause } from './loop.ts';
import { STANDS_STILL, TRIES } from './stands-still.ts';

const AT_ONCE = 256;
const SUSPENDED = 'The platform could not fire a timer of the workflow. The operator finds the cause in the log.';

/**
 * Turns due timers into events of their instances. A timer never fires early; how late depends on the load.
 *
 * `suspend` suspends an instance with an incident when the database refuses even the event that does so.
 */
export async function fireTimers(
  platform: Platform,
  notify: () => void,
  suspend: (instanceId: string, cause: string) => void,
): Promise<Pause> {
  const { database, now } = platform;
  const next = await nextDue(platform);
  if (next === null || next > now()) return next === null ? null : next - now();
  const due = await database.read
    .selectFrom('workflow_timers')
    .select(['instance_id', 'timer', 'attempts'])
    .where('due', '<=', now())
    .orderBy('due')
    .limit(AT_ONCE)
    .execute();
  const { done: fired } = await inParts(
    due,
    (some) => fire(platform, some),
    (timer, error) => failed(platform, timer, error, { notify, suspend }),
  );
  if (fired > 0) notify();
  return due.length > 0 ? 0 : null;
}

type Timer = Pick<WorkflowTimerRow, 'instance_id' | 'timer' | 'attempts'>;

/** Turns timers into events. Timers that are gone, or that another process fires now, are skipped. */
async function fire(platform: Platform, due: readonly Timer[]): Promise<void> {
  await platform.database.write(async (transaction) => {
    const among = recordsOf(transaction, due, { instance_id: 'text', timer: 'bigint' });
    const isDue = sql<boolean>`(instance_id, timer) in (select instance_id, timer from ${among} as due)`;
    const query = transaction.selectFrom('workflow_timers').select(['instance_id', 'timer']).where(isDue);
    const free = await (platform.database.dialect === 'postgres' ? query.forUpdate().skipLocked() : query).execute();
    const fired = recordsOf(transaction, free, { instance_id: 'text', timer: 'bigint' });
    await sql`delete from workflow_timers where (instance_id, timer) in
      (select instance_id, timer from ${fired} as fired)`.execute(transaction);
    const events = free.map(({ instance_id, timer }) => eventRow(platform, instance_id, { type: 'timerDue', timer }));
    await insertEvents(transaction, events);
  });
}

interface TimerCallbacks {
  readonly notify: () => void;
  readonly suspend: (instanceId: string, cause: string) => void;
}

/**
 * Retries a timer that could not be fired, in growing pauses, so that it does not block others.
 *
 * After the last try the timer stands still, and an event in the same transaction suspends its instance with an incident.
 * If the database refuses that event as well, `hold` does it, and the timer gets as many tries again.
 */
async function failed(
  platform: Platform,
  timer: Timer,
  error: unknown,
  { notify, suspend }: TimerCallbacks,
): Promise<void> {
  const { log, now, telemetry } = platform;
  const attempts = timer.attempts + 1;
  const what = { instance: timer.instance_id, timer: timer.timer, attempts, err: error };
  telemetry.metrics?.workflowRetried('timer');
  if (attempts < TRIES) {
    log.warn(what, 'a timer could not be fired: it is tried again');
    return postpone(platform, timer, now() + pauseAfter(timer.attempts), attempts);
  }
  log.error(what, 'a timer could not be fired: its instance is suspended with an incident');
  try {
    const event = eventRow(platform, timer.instance_id, { type: 'platformFailed', message: SUSPENDED });
    await postpone(platform, timer, STANDS_STILL, attempts, [event]);
    notify();
  } catch (refused) {
    if (isOutage(refused)) throw refused;
    suspend(timer.instance_id, SUSPENDED);
    const isLast = attempts >= 2 * TRIES;
    await postpone(platform, timer, isLast ? STANDS_STILL : now() + pauseAfter(timer.attempts), attempts);
  }
}

function postpone(
  { database }: Platform,
  timer: Timer,
  due: number,
  attempts: number,
  events: readonly NewEvent[] = [],
): Promise<void> {
  return database.write(async (transaction) => {
    await transaction
      .updateTable('workflow_timers')
      .set({ due, attempts })
      .where('instance_id', '=', timer.instance_id)
      .where('timer', '=', timer.timer)
      .execute();
    await insertEvents(transaction, events);
  });
}

async function nextDue({ database }: Platform): Promise<number | null> {
  const row = await database.read
    .selectFrom('workflow_timers')
    .select('due')
    .orderBy('due')
    .limit(1)
    .executeTakeFirst();
  return row?.due ?? null;
}
