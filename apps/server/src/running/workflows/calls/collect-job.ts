import { limits } from '@kethub/contract';
import { parseExact, type ServiceReference, type Value, type Variables } from '@kethub/workflow';
import { resultMembers } from '../../executions/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { isAmong, type Database, type ExecutionRow, type WorkflowJobRow } from '../../../foundation/storage/index.ts';
import type { JobEnvironment } from './job-environment.ts';
import { failJob } from './fail-job.ts';
import { serviceResult } from './service-result.ts';

/**
 * Reports the end of a job's execution to its instance, by {@link JobEnvironment.end}: the result, or the result
 * document of a failure. Hand-over 3 of the state chart in workflows/engine.ts.
 */
export async function collectJob(
  environment: JobEnvironment,
  job: WorkflowJobRow,
  row: ExecutionRow | undefined,
): Promise<void> {
  const { platform } = environment;
  const { serviceId } = JSON.parse(job.service) as ServiceReference;
  const call = { serviceId, applicationId: job.application_id ?? '' };
  if (!row)
    return failJob(environment, job, call, problem('Execution gone', 'The execution of the service was deleted.'));
  if (row.status !== 'SUCCEEDED') return failJob(environment, job, call, await failureOf(platform, job, row));
  const result = await serviceResult(platform.blobs, row);
  if (result !== 'TOO_LARGE')
    return environment.end(job, { type: 'jobSucceeded', job: job.job, result: result.value, called: call });
  return failJob(environment, job, call, tooLarge('The service returned'));
}

function tooLarge(what: string): Value {
  const { workflowResultBytes: bytes, workflowResultParts: parts } = limits;
  const detail = `${what} more than the ${bytes} bytes, or the ${parts} objects and lists, that a workflow can keep. Have it write a file, or return less.`;
  return problem('Result too large', detail);
}

/** The executions of jobs, by the id that they share. */
export async function executionsOf(
  { read }: Database,
  jobs: readonly WorkflowJobRow[],
): Promise<Map<string, ExecutionRow>> {
  const ids = jobs.filter(({ state }) => state === 'ENDED').map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await read
    .selectFrom('executions')
    .selectAll()
    .where(isAmong(read, 'id', ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function problem(title: string, detail: string): Value {
  return { type: 'about:blank', title, detail };
}

/**
 * The reason why an execution did not succeed, as in the result that its caller reads. It is the cause, or the errors
 * of a workflow, with `_links` and `_embedded`.
 */
async function failureOf(platform: Platform, job: WorkflowJobRow, row: ExecutionRow): Promise<Value> {
  const cause = parseExact(row.cause ?? '{}');
  if (row.owner_type === null || row.owner_id === null) return cause;
  const members = await resultMembers(platform, row, job.address ?? '');
  const hasResult = row.result !== null || row.result_blob !== null;
  const errors = hasResult ? await serviceResult(platform.blobs, row) : { value: cause };
  if (errors === 'TOO_LARGE') return tooLarge('The errors of the service need');
  return { ...(errors.value as Variables), ...(members as Variables) };
}
