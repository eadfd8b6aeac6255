import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../platform.ts';
import { isAmong, type AcceptedPlanRow, type Database, type Queries } from '../storage/index.ts';

export type Side = 'consumer' | 'provider';

/** What one consumer has used of one product through one subscription from one provider. */
export interface Sum {
  readonly subscriptionId: string;
  readonly product: string;
  /** In millionths of the unit. */
  amount: bigint;
}

interface Row {
  readonly subscription_id: string;
  readonly product: string;
  readonly other: string;
  readonly units: string;
  readonly micros: string;
}

/**
 * What was used on the days from one to before another (days since 1970 in UTC), test usage apart, by one side of the
 * trade. The other side is part of what is added up separately, so that cost and revenue are rounded alike. A day at a
 * time: on SQLite a query keeps the process from doing anything else, and other requests get their turn in between.
 */
export async function sumUsage(
  { read }: Database,
  side: Side,
  party: Context,
  from: number,
  until: number,
): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  for (let day = from; day < until; day += 1) {
    for (const row of await sumOfDay(read, side, party, day)) {
      const key = JSON.stringify([row.subscription_id, row.product, row.other]);
      const sum = sums.get(key) ?? { subscriptionId: row.subscription_id, product: row.product, amount: 0n };
      sum.amount += BigInt(row.units) * 1_000_000n + BigInt(row.micros);
      sums.set(key, sum);
    }
    await turn();
  }
  return [...sums.values()];
}

/** Whole units and the rest are added up apart, as text: their sum may be larger than what a bigint or a number holds. */
async function sumOfDay(queries: Queries, side: Side, party: Context, day: number): Promise<Row[]> {
  const [type, id] = [sql.ref(`${side}_type`), sql.ref(`${side}_id`)];
  const other = side === 'consumer' ? 'provider' : 'consumer';
  const [otherType, otherId] = [sql.ref(`${other}_type`), sql.ref(`${other}_id`)];
  const { rows } = await sql<Row>`
    select subscription_id, product, ${otherType} || ' ' || ${otherId} as other,
      cast(sum(amount / 1000000) as text) as units, cast(sum(amount % 1000000) as text) as micros
    from usage_records
    where test = 0 and ${type} = ${party.type} and ${id} = ${party.id} and day = ${day}
    group by subscription_id, product, ${otherType}, ${otherId}`.execute(queries);
  return rows;
}

const AT_ONCE = 1_000;

/** The commercial plans of these subscriptions. */
export async function commercialPlansOf(
  queries: Queries,
  subscriptionIds: readonly string[],
): Promise<AcceptedPlanRow[]> {
  const plans: AcceptedPlanRow[] = [];
  for (let from = 0; from < subscriptionIds.length; from += AT_ONCE) {
    const rows = await queries
      .selectFrom('accepted_plans')
      .selectAll()
      .where(isAmong(queries, 'subscription_id', subscriptionIds.slice(from, from + AT_ONCE)))
      .where('type', '=', 'COMMERCIAL')
      .execute();
    plans.push(...rows);
  }
  return plans;
}
