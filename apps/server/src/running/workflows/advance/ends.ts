import { sql, type RawBuilder } from 'kysely';
import { isAmong, type Queries, type Returned, type StatementBatch } from '../../../foundation/storage/index.ts';
import { keyOf, type Ended, type LeasedJob } from './completion-queue.ts';

/** Of these ends those whose jobs are in their state still. */
export async function stillThere(queries: Queries, ends: readonly Ended[]): Promise<Ended[]> {
  if (ends.length === 0) return [];
  const rows = await queries.selectFrom('workflow_jobs').select(identity).where(areThere(queries, ends)).execute();
  return among(ends, rows);
}

/** Adds the removal of these jobs to what is written; returns those that were in their state still. */
export function addRemoval(
  statements: StatementBatch,
  transaction: Queries,
  ends: readonly Ended[],
): Returned<{ id: string }> {
  return statements.rows(
    sql<{ id: string }>`delete from workflow_jobs where ${areThere(transaction, ends)} returning id`,
  );
}

/**
 * By their ids. The state beside it is not compared as such: PostgreSQL would look through the index of all that is to be
 * done, with everything that is gone and not yet swept up, 19 µs a job against 4. Under another lease a job is another
 * process's, which tells of its end.
 */
function areThere(queries: Queries, ends: readonly Ended[]): RawBuilder<boolean> {
  const jobs = ends.map(({ job }) => job);
  const keys = sql`id || ' ' || state || ' ' || lease`;
  return sql<boolean>`${isAmong(
    queries,
    'id',
    jobs.map(({ id }) => id),
  )} and ${isAmong(queries, keys, jobs.map(keyOf))}`;
}

const identity = ['id', 'state', 'lease'] as const;

function among(ends: readonly Ended[], rows: readonly LeasedJob[]): Ended[] {
  const keys = new Set(rows.map(keyOf));
  return ends.filter((end) => keys.has(keyOf(end.job)));
}
