import { sql } from 'kysely';
import type { Platform } from '../platform.ts';
import { recordsOf, type WorkflowTimerRow } from '../storage/index.ts';
import { eventRow, insertEvents } from './advance/index.ts';
import { inParts } from './in-parts.ts';
import type { Pause } from './loop.ts';

const AT_ONCE = 256;
/** After so long a timer that could not be fired is tried again. */
const AGAIN_MS = 60_000;

/** Tells instances whose timers are due. Never early; how late depends on the load. */
export async function fireTimers(platform: Platform, told: () => void): Promise<Pause> {
  const { database, now } = platform;
  const next = await nextDue(platform);
  if (next === null || next > now()) return next === null ? null : next - now();
  const due = await database.read
    .selectFrom('workflow_timers')
    .select(['instance_id', 'timer'])
    .where('due', '<=', now())
    .orderBy('due')
    .limit(AT_ONCE)
    .execute();
  const { done: fired } = await inParts(
    due,
    (some) => fire(platform, some),
    (timer, error) => postpone(platform, timer, error),
  );
  if (fired > 0) told();
  return due.length > 0 ? 0 : null;
}

type Timer = Pick<WorkflowTimerRow, 'instance_id' | 'timer'>;

/** Turns timers into events of their instances. Those that another process turns now, or that are gone, are left. */
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

/** One that cannot be fired does not stand before the others for ever. */
async function postpone({ database, log, now, telemetry }: Platform, timer: Timer, error: unknown): Promise<void> {
  log.warn(
    { instance: timer.instance_id, timer: timer.timer, err: error },
    'a timer could not be fired: it is tried again',
  );
  telemetry.metrics?.workflowRetried('timer');
  await database.write((transaction) =>
    transaction
      .updateTable('workflow_timers')
      .set({ due: now() + AGAIN_MS })
      .where('instance_id', '=', timer.instance_id)
      .where('timer', '=', timer.timer)
      .execute(),
  );
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
