import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Context } from '../../foundation/platform.ts';
import { isAmong, type AcceptedPlanRow, type Database, type Queries } from '../../foundation/storage/index.ts';

export type Side = 'consumer' | 'provider';

/** The use of one product by one consumer, through one subscription, from one provider. */
export interface Sum {
  readonly subscriptionId: string;
  readonly product: string;
  /** In millionths of the unit. */
  amount: bigint;
  records: bigint;
}

interface Row {
  readonly subscription_id: string;
  readonly product: string;
  readonly other_type: string;
  readonly other_id: string;
  readonly shard: string;
  readonly records: string;
  readonly units: string;
  readonly micros: string;
}

/** Rows that one query reads. More take further queries, because a query on SQLite blocks the process. */
const ROWS_AT_ONCE = 2_000;

/**
 * Adds up the use of a month (2026-11, UTC), without test use, of a consumer or of a provider. Use with each
 * counterpart is added up separately, so that cost and revenue are rounded alike. Triggers maintain `usage_sums`; it is
 * read in batches, so that other requests are served in between.
 */
export async function sumUsage({ read }: Database, side: Side, party: Context, month: string): Promise<Sum[]> {
  const sums = new Map<string, Sum>();
  let last: Row | undefined;
  do {
    const rows = await rowsBehind(read, side, party, month, last);
    for (const row of rows) {
      const key = JSON.stringify([row.subscription_id, row.product, row.other_type, row.other_id]);
      const sum = sums.get(key) ?? {
        subscriptionId: row.subscription_id,
        product: row.product,
        amount: 0n,
        records: 0n,
      };
      sum.records += BigInt(row.records);
      sum.amount += BigInt(row.units) * 1_000_000n + BigInt(row.micros);
      sums.set(key, sum);
    }
    last = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
    await turn();
  } while (last);
  // Sums whose records were all deleted remain as zero.
  return [...sums.values()].filter(({ records }) => records > 0n);
}

/**
 * Reads the rows after `last`, in the order of an index. Sums are read as text: they may exceed what a number can hold.
 */
async function rowsBehind(
  queries: Queries,
  side: Side,
  party: Context,
  month: string,
  last: Row | undefined,
): Promise<Row[]> {
  const other = side === 'consumer' ? 'provider' : 'consumer';
  const sortKey = sql.raw(`subscription_id, product, ${other}_type, ${other}_id, shard`);
  const behind = last
    ? sql`and (${sortKey}) > (${last.subscription_id}, ${last.product}, ${last.other_type}, ${last.other_id},
        cast(${last.shard} as bigint))`
    : sql``;
  const { rows } = await sql<Row>`
    select subscription_id, product, ${sql.ref(`${other}_type`)} as other_type, ${sql.ref(`${other}_id`)} as other_id,
      cast(shard as text) as shard, cast(records as text) as records, cast(units as text) as units, cast(micros as text) as micros
    from usage_sums
    where ${sql.ref(`${side}_type`)} = ${party.type} and ${sql.ref(`${side}_id`)} = ${party.id} and month = ${month}
      ${behind}
    order by ${sortKey} limit ${ROWS_AT_ONCE}`.execute(queries);
  return rows;
}

/** Subscriptions that one query reads. */
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
    await turn();
  }
  return plans;
}
