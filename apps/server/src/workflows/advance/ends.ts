import { isAmong, type Queries } from '../../storage/index.ts';
import type { Ended } from './inbox.ts';

/** Of these ends those whose jobs are in their state still. */
export async function stillThere(queries: Queries, ends: readonly Ended[]): Promise<Ended[]> {
  const there = new Set<string>();
  for (const [state, some] of byState(ends)) {
    const rows = await queries
      .selectFrom('workflow_jobs')
      .select('id')
      .where(isAmong(queries, 'id', idsOf(some)))
      .where('state', '=', state)
      .execute();
    for (const { id } of rows) there.add(id);
  }
  return ends.filter(({ job }) => there.has(job.id));
}

/** Of these ends those whose jobs were in their state still: they are no more, and nobody else tells their instances. */
export async function removeJobs(transaction: Queries, ends: readonly Ended[]): Promise<Ended[]> {
  const gone = new Set<string>();
  for (const [state, some] of byState(ends)) {
    const rows = await transaction
      .deleteFrom('workflow_jobs')
      .where(isAmong(transaction, 'id', idsOf(some)))
      .where('state', '=', state)
      .returning('id')
      .execute();
    for (const { id } of rows) gone.add(id);
  }
  return ends.filter(({ job }) => gone.has(job.id));
}

function byState(ends: readonly Ended[]) {
  return Map.groupBy(ends, ({ job }) => job.state);
}

function idsOf(ends: readonly Ended[]): string[] {
  return ends.map(({ job }) => job.id);
}
