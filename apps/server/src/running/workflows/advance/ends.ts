import { sql, type RawBuilder } from 'kysely';
import { isAmong, type Queries, type Returned, type StatementBatch } from '../../../foundation/storage/index.ts';
import { keyOf, type Ended, type LeasedJob } from './completion-queue.ts';

/** The ends whose jobs are still in the same state. */
export async function stillThere(queries: Queries, ends: readonly Ended[]): Promise<Ended[]> {
  if (ends.length === 0) return [];
  const rows = await queries.selectFrom('workflow_jobs').select(identity).where(areThere(queries, ends)).execute();
  return among(ends, rows);
}

/** Adds the removal of the jobs to a statement batch. Returns the jobs that were still in the same state. */
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
 * Finds jobs by id. State and lease are compared as part of a text. For a plain comparison, PostgreSQL would scan the
 * index of due jobs with all its dead rows, 19 µs a job instead of 4.
 *
 * A job under another lease belongs to another process, which reports its end.
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
