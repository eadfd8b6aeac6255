import type { Value } from '@kethub/workflow';
import type { AcceptedWorkflow, Workflows } from '../executions/index.ts';
import { Problem } from '../http/index.ts';
import type { LogSource } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import { insertMany, isAmong, type Queries, type WorkflowInstanceRow } from '../storage/index.ts';
import { DEPTH, eventRow, insertEvents, type NewEvent } from './advance/index.ts';
import { journalLog } from './log.ts';
import { publishOfSubscriber } from './publish.ts';
import { Requests } from './requests.ts';
import { sealSecrets } from './secrets.ts';
import { workflowsToDo } from './wake.ts';

/** Where executions of workflow services come in, in every process; workers do the rest. */
export function createWorkflows(platform: Platform): Workflows {
  const requests = new Requests(platform);
  const workflows: Workflows = {
    check: (versionId, input, bytes) => requests.check(versionId, input, bytes),
    accept: (transaction, accepted) => insertInstances(platform, transaction, accepted),
    cancel: (transaction, id) => cancelInstance(platform, transaction, id),
    wake: () => workflowsToDo(platform.database),
    log: (id): Promise<LogSource | null> => journalLog(platform, id),
    publish: (origin, text, hold, write) => publishOfSubscriber(platform, workflows, origin, text, hold, write),
  };
  return workflows;
}

/** The instances of executions, and that they are to begin. */
async function insertInstances(
  platform: Platform,
  transaction: Queries,
  accepted: readonly AcceptedWorkflow[],
): Promise<void> {
  if (accepted.length === 0) return;
  const depths = await depthsOf(
    transaction,
    accepted.map(({ row }) => row.id),
  );
  const rows = accepted.map((one) => instanceRow(platform, one, depths.get(one.row.id) ?? 0));
  await insertMany(transaction, 'workflow_instances', instanceColumns, rows);
  await insertEvents(
    transaction,
    accepted.map((one) => startOf(platform, one)),
  );
}

const instanceColumns = [
  'id',
  'execution_id',
  'owner',
  'service_version_id',
  'depth',
  'phase',
  'revision',
  'incidents',
  'bytes',
  'sealed_secrets',
  'created_at',
] as const;

function instanceRow(
  platform: Platform,
  { row: { id, service_version_id, created_at, owner_type, owner_id }, input: { secrets } }: AcceptedWorkflow,
  depth: number,
): Pick<WorkflowInstanceRow, (typeof instanceColumns)[number]> {
  return {
    id,
    execution_id: id,
    owner: `${owner_type} ${owner_id}`,
    service_version_id,
    depth,
    phase: 'NEW',
    revision: 0,
    incidents: 0,
    bytes: 0,
    sealed_secrets: secrets && sealSecrets(platform, secrets),
    created_at,
  };
}

function startOf(platform: Platform, { row: { id }, input, startEvent }: AcceptedWorkflow): NewEvent {
  const { $secrets: _secrets, ...variables } = input.members as { [name: string]: Value };
  return eventRow(
    platform,
    id,
    {
      type: 'start',
      variables,
      seed: id,
      ...(startEvent !== undefined && { startEvent }),
      ...(input.secrets && { secrets: Object.keys(input.secrets) }),
    },
    `start:${id}`,
  );
}

/** Of executions that a task of another workflow starts: their ids are those of the jobs. */
async function depthsOf(transaction: Queries, executionIds: readonly string[]): Promise<Map<string, number>> {
  const callers = await transaction
    .selectFrom('workflow_jobs')
    .innerJoin('workflow_instances', 'workflow_instances.id', 'workflow_jobs.instance_id')
    .select(['workflow_jobs.id', 'depth'])
    .where(isAmong(transaction, 'workflow_jobs.id', executionIds))
    .execute();
  if (callers.every(({ depth }) => depth < DEPTH)) return new Map(callers.map(({ id, depth }) => [id, depth + 1]));
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
    await insertEvents(transaction, [eventRow(platform, id, { type: 'cancel' })]);
  const cancelled = {
    errorCode: 'WORKFLOW_ERROR',
    failedElement: row.process_id ?? 'process',
    message: 'The execution was cancelled before it ended.',
  };
  const { errors = [] } = (row.status === 'FAILED' ? JSON.parse(row.result ?? '{}') : {}) as { errors?: object[] };
  return { result: JSON.stringify({ errors: [...errors, cancelled] }) };
}
