import { sql, type RawBuilder } from 'kysely';
import { recordsOf, type Queries } from '../../../foundation/storage/index.ts';
import type { Numbered } from './effects.ts';

/** Columns of {@link Numbered}, for `recordsOf`. */
export const numbered = { instance_id: 'text', number: 'bigint' } as const;

/** Returns whether a row has one of these numbers within one of these instances. */
export function isOneOf(transaction: Queries, column: string, numbers: readonly Numbered[]): RawBuilder<boolean> {
  return sql<boolean>`(instance_id, ${sql.ref(column)}) in
    (select instance_id, number from ${recordsOf(transaction, numbers, numbered)} as one)`;
}

/** Removes the rows of a table that have these numbers within their instances. */
export async function removeNumbered(
  transaction: Queries,
  table: 'workflow_timers' | 'workflow_subscriptions' | 'workflow_signal_subscriptions' | 'workflow_incidents',
  column: string,
  numbers: readonly Numbered[],
): Promise<void> {
  if (numbers.length === 0) return;
  await sql`delete from ${sql.table(table)} where ${isOneOf(transaction, column, numbers)}`.execute(transaction);
}
