import { sql } from 'kysely';
import type { Platform } from '../platform.ts';
import { recordsOf } from '../storage/index.ts';
import { eventRow, insertEvents } from './advance/index.ts';
import type { Pause } from './loop.ts';

const AT_ONCE = 256;

/** Tells instances whose timers are due. Never early; how late depends on the load. */
export async function fireTimers(platform: Platform, told: () => void): Promise<Pause> {
  const { database, now } = platform;
  const next = await nextDue(platform);
  if (next === null || next > now()) return next === null ? null : next - now();
  const fired = await database.write(async (transaction) => {
    const due = transaction
      .selectFrom('workflow_timers')
      .select(['instance_id', 'timer'])
      .where('due', '<=', now())
      .orderBy('due')
      .limit(AT_ONCE);
    const free = await (database.dialect === 'postgres' ? due.forUpdate().skipLocked() : due).execute();
    const fired = recordsOf(transaction, free, { instance_id: 'text', timer: 'bigint' });
    await sql`delete from workflow_timers where (instance_id, timer) in
      (select instance_id, timer from ${fired} as fired)`.execute(transaction);
    const events = free.map(({ instance_id, timer }) => eventRow(platform, instance_id, { type: 'timerDue', timer }));
    await insertEvents(transaction, events);
    return free.length;
  });
  if (fired > 0) told();
  return fired > 0 ? 0 : null;
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
