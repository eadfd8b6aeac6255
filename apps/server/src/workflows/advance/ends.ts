import { sql, type RawBuilder } from 'kysely';
import { isAmong, type Queries, type Returned, type Together } from '../../storage/index.ts';
import type { Ended } from './inbox.ts';

/** Of these ends those whose jobs are in their state still. */
export async function stillThere(queries: Queries, ends: readonly Ended[]): Promise<Ended[]> {
  if (ends.length === 0) return [];
  const rows = await queries.selectFrom('workflow_jobs').select('id').where(areThere(queries, ends)).execute();
  return among(ends, rows);
}

/** Adds the removal of these jobs to what is written; returns those that were in their state still. */
export function addRemoval(together: Together, transaction: Queries, ends: readonly Ended[]): Returned<{ id: string }> {
  return together.rows(
    sql<{ id: string }>`delete from workflow_jobs where ${areThere(transaction, ends)} returning id`,
  );
}

/** Of these ends those whose jobs were in their state still: they are no more, and nobody else tells their instances. */
export async function removeJobs(transaction: Queries, ends: readonly Ended[]): Promise<Ended[]> {
  if (ends.length === 0) return [];
  const rows = await transaction
    .deleteFrom('workflow_jobs')
    .where(areThere(transaction, ends))
    .returning('id')
    .execute();
  return among(ends, rows);
}

/**
 * By their ids. The state beside it is not compared as such: PostgreSQL would look through the index of all that is to be
 * done, with everything that is gone and not yet swept up, 19 µs a job against 4.
 */
function areThere(queries: Queries, ends: readonly Ended[]): RawBuilder<boolean> {
  const ids = ends.map(({ job }) => job.id);
  const states = ends.map(({ job }) => `${job.id} ${job.state}`);
  return sql<boolean>`${isAmong(queries, 'id', ids)} and ${isAmong(queries, sql`id || ' ' || state`, states)}`;
}

function among(ends: readonly Ended[], rows: readonly { readonly id: string }[]): Ended[] {
  const ids = new Set(rows.map(({ id }) => id));
  return ends.filter(({ job }) => ids.has(job.id));
}
