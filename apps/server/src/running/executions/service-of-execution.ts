import type { Database } from '../../foundation/storage/index.ts';

/** The id of the service whose version an execution runs. Null for an unknown execution, or a deleted service. */
export async function serviceOfExecution({ read }: Database, executionId: string): Promise<string | null> {
  const found = await read
    .selectFrom('executions')
    .innerJoin('service_versions', 'service_versions.id', 'executions.service_version_id')
    .select('service_versions.service_id')
    .where('executions.id', '=', executionId)
    .executeTakeFirst();
  return found?.service_id ?? null;
}
