import { Problem } from '../../../foundation/http/index.ts';
import { isAmong, type Queries } from '../../../foundation/storage/index.ts';
import { DEPTH } from '../advance/index.ts';

/** The depths of workflows that these jobs start. Throws conflict when one is too deep. */
export async function depthsOf(transaction: Queries, jobIds: readonly string[]): Promise<Map<string, number>> {
  if (jobIds.length === 0) return new Map();
  const callers = await transaction
    .selectFrom('workflow_jobs')
    .innerJoin('workflow_instances', 'workflow_instances.id', 'workflow_jobs.instance_id')
    .select(['workflow_jobs.id', 'depth'])
    .where(isAmong(transaction, 'workflow_jobs.id', jobIds))
    .execute();
  if (callers.every(({ depth }) => depth < DEPTH)) return new Map(callers.map(({ id, depth }) => [id, depth + 1]));
  throw new Problem('conflict', `Workflows may call one another at most ${DEPTH} deep.`);
}
