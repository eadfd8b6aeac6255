import type { Value } from '@kethub/workflow';
import type { ExecutionInput, Workflows } from '../executions/index.ts';
import { Problem } from '../http/index.ts';
import type { LogSource } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import type { ExecutionRow, Queries, WorkflowInstanceRow } from '../storage/index.ts';
import { DEPTH, eventRow } from './advance/index.ts';
import { journalLog } from './log.ts';
import { Requests } from './requests.ts';
import { sealSecrets } from './secrets.ts';
import { workflowsToDo } from './wake.ts';

/** How an instance begins. */
export interface Beginning {
  /** A timer or message start event; absent: the plain one. */
  readonly startEvent?: string;
  readonly variables: { readonly [name: string]: Value };
  readonly secrets: Readonly<Record<string, string>> | null;
}

/** Where executions of workflow services come in, in every process; workers do the rest. */
export function createWorkflows(platform: Platform): Workflows {
  const requests = new Requests(platform);
  return {
    check: (versionId, input, bytes) => requests.check(versionId, input, bytes),
    accept: (transaction, row, input, startEvent) =>
      insertInstance(platform, transaction, row, {
        ...beginningOf(input),
        ...(startEvent !== undefined && { startEvent }),
      }),
    cancel: (transaction, id) => cancelInstance(platform, transaction, id),
    wake: () => workflowsToDo(platform.database),
    log: (id): Promise<LogSource | null> => journalLog(platform, id),
  };
}

function beginningOf({ members, secrets }: ExecutionInput): Beginning {
  const { $secrets: _secrets, ...variables } = members as { [name: string]: Value };
  return { variables, secrets };
}

/** The instance of an execution, and that it is to begin. */
export async function insertInstance(
  platform: Platform,
  transaction: Queries,
  { id, service_version_id, created_at }: Pick<ExecutionRow, 'id' | 'service_version_id' | 'created_at'>,
  { startEvent, variables, secrets }: Beginning,
): Promise<void> {
  const row: WorkflowInstanceRow = {
    id,
    execution_id: id,
    parent_id: null,
    parent_child: null,
    service_version_id,
    process_id: null,
    depth: await depthOf(transaction, id),
    phase: 'NEW',
    revision: 0,
    incidents: 0,
    state: null,
    bytes: 0,
    sealed_secrets: secrets && sealSecrets(platform, secrets),
    created_at,
    ended_at: null,
  };
  await transaction.insertInto('workflow_instances').values(row).execute();
  const event = eventRow(
    platform,
    id,
    {
      type: 'start',
      variables,
      seed: id,
      ...(startEvent !== undefined && { startEvent }),
      ...(secrets && { secrets: Object.keys(secrets) }),
    },
    `start:${id}`,
  );
  await transaction.insertInto('workflow_events').values(event).execute();
}

/** Of an execution that a task of another workflow starts: its id is that of the job. */
async function depthOf(transaction: Queries, executionId: string): Promise<number> {
  const caller = await transaction
    .selectFrom('workflow_jobs')
    .innerJoin('workflow_instances', 'workflow_instances.id', 'workflow_jobs.instance_id')
    .select('depth')
    .where('workflow_jobs.id', '=', executionId)
    .executeTakeFirst();
  const depth = caller ? caller.depth + 1 : 0;
  if (depth <= DEPTH) return depth;
  throw new Problem('conflict', `Workflows may call one another at most ${DEPTH} deep.`);
}

async function cancelInstance(
  platform: Platform,
  transaction: Queries,
  id: string,
): Promise<{ result: string } | null> {
  const row = await transaction
    .selectFrom('workflow_instances')
    .innerJoin('executions', 'executions.id', 'workflow_instances.execution_id')
    .leftJoin('workflow_versions', 'workflow_versions.service_version_id', 'workflow_instances.service_version_id')
    .select(['phase', 'result', 'status', 'workflow_versions.process_id'])
    .where('workflow_instances.id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  if (row.phase === 'NEW' || row.phase === 'RUNNING')
    await transaction
      .insertInto('workflow_events')
      .values(eventRow(platform, id, { type: 'cancel' }))
      .execute();
  const cancelled = {
    errorCode: 'WORKFLOW_ERROR',
    failedElement: row.process_id ?? 'process',
    message: 'The execution was cancelled before it ended.',
  };
  const { errors = [] } = (row.status === 'FAILED' ? JSON.parse(row.result ?? '{}') : {}) as { errors?: object[] };
  return { result: JSON.stringify({ errors: [...errors, cancelled] }) };
}
