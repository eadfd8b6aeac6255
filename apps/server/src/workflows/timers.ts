import type { Platform } from '../platform.ts';
import { insertMany } from '../storage/index.ts';
import { eventRow } from './advance/index.ts';
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
    for (const { instance_id, timer } of free)
      await transaction
        .deleteFrom('workflow_timers')
        .where('instance_id', '=', instance_id)
        .where('timer', '=', timer)
        .execute();
    const events = free.map(({ instance_id, timer }) => eventRow(platform, instance_id, { type: 'timerDue', timer }));
    await insertMany(transaction, 'workflow_events', ['id', 'instance_id', 'event', 'bytes'], events);
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
