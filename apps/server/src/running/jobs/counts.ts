import { toTimestamp, type ExecutionCounts, type ExecutionStatus } from '@kethub/contract';
import { requireService } from '../../catalog/services/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { countsByTime, matching, type CountedTime } from '../executions/index.ts';
import { filterOf, type OwnedQuery, type ProvidedQuery } from './filter-query.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** The longest time that is counted: a year by days, a month by hours. */
const LONGEST = { hour: 31 * DAY_MS, day: 366 * DAY_MS };
const STEPS = { hour: HOUR_MS, day: DAY_MS };

interface Steps {
  readonly per?: 'hour' | 'day' | undefined;
}

/** Counts executions of the context by status and time. Throws invalid-request. */
export async function countOwned(
  { database, now }: Platform,
  { type, id }: Context,
  query: Omit<OwnedQuery, 'tag'> & Steps,
): Promise<ExecutionCounts> {
  const { from, to, step } = spanOf(query, now());
  const filter = matching({ ...filterOf(query), from, to });
  const rows = await countsByTime(
    database,
    (where) => where.and([where('owner_type', '=', type), where('owner_id', '=', id), filter(where)]),
    step,
  );
  return presented(from, to, rows);
}

/** Counts executions of an own service, of any owner. Throws invalid-request, not-found. */
export async function countProvided(
  { database, now }: Platform,
  context: Context,
  serviceId: string,
  query: ProvidedQuery & Steps,
): Promise<ExecutionCounts> {
  await requireService(database.read, context, serviceId);
  const { from, to, step } = spanOf(query, now());
  const rows = await countsByTime(database, matching({ ...filterOf(query), serviceId, from, to }), step);
  return presented(from, to, rows);
}

/** From 30 days ago, or 24 hours by the hour, to now. */
function spanOf(query: ProvidedQuery & Steps, now: number): { from: number; to: number; step: number } {
  const per = query.per ?? 'day';
  const { to = now + 1, from = to - (per === 'hour' ? DAY_MS : 30 * DAY_MS) } = filterOf(query);
  if (to - from > LONGEST[per])
    throw new Problem('invalid-request', `At most ${LONGEST[per] / DAY_MS} days can be counted by the ${per}. Choose from and to closer together.`); // prettier-ignore
  return { from, to, step: STEPS[per] };
}

function presented(from: number, to: number, rows: readonly CountedTime[]): ExecutionCounts {
  const times = [...new Set(rows.map(({ at }) => at))];
  return {
    from: toTimestamp(from),
    to: toTimestamp(to),
    total: byStatus(rows),
    times: times.map((at) => {
      const here = rows.filter((row) => row.at === at);
      const ranMs = here.reduce((sum, row) => sum + row.ranMs, 0);
      return { at: toTimestamp(at), counts: byStatus(here), runSeconds: Math.round(ranMs / 1000) };
    }),
  };
}

function byStatus(rows: readonly CountedTime[]): Partial<Record<ExecutionStatus, number>> {
  const counts: Partial<Record<ExecutionStatus, number>> = {};
  for (const { status, count } of rows) counts[status] = (counts[status] ?? 0) + count;
  return counts;
}
