import type { Database } from '../../foundation/storage/index.ts';

/** Beginning of the names of all jobs in a cluster. */
export const JOB_PREFIX = 'kethub-';
const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const NAME = new RegExp(`^${JOB_PREFIX}(${ID})-(${ID})$`);

/** Beginning of the names of the jobs of one worker. The id of the execution follows. */
export function jobPrefixOf(workerId: string): string {
  return `${JOB_PREFIX}${workerId}-`;
}

/**
 * Returns the names of jobs whose execution has ended on the worker that they name, with its log stored: that comes last.
 * Jobs of other installations are not among them: nobody else has these two ids together.
 */
export async function unclaimedJobs({ read }: Database, names: readonly string[]): Promise<string[]> {
  const jobs = names.flatMap((name) => {
    const [, workerId, id] = NAME.exec(name) ?? [];
    return workerId === undefined || id === undefined ? [] : [{ name, workerId, id }];
  });
  if (jobs.length === 0) return [];
  const rows = await read
    .selectFrom('executions')
    .select(['id', 'worker_id'])
    .where(
      'id',
      'in',
      jobs.map(({ id }) => id),
    )
    .where('status', 'not in', ['PENDING', 'RUNNING'])
    .where(({ or, eb }) => or([eb('log', 'is not', null), eb('log_blob', 'is not', null)]))
    .execute();
  const workerOf = new Map(rows.map((row) => [row.id, row.worker_id]));
  return jobs.filter(({ id, workerId }) => workerOf.get(id) === workerId).map(({ name }) => name);
}
