import type { AcceptedWorkflow, Workflows } from '../executions/index.ts';
import type { LogSource } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries, StatementBatch } from '../../foundation/storage/index.ts';
import { eventRow, insertEvents } from './advance/index.ts';
import { broadcastOfSubscriber } from './broadcast.ts';
import { addFirstSteps, PrecomputedStep, type FirstSteps } from './first-step.ts';
import { newInstance, startEvent } from './instance.ts';
import { journalLog } from './log.ts';
import { publishOfSubscriber } from './publish.ts';
import { Requests } from './requests.ts';
import { workflowsToDo } from './wake.ts';

/** The port through which executions reach the workflow engine, with the first steps of this process. */
export interface WorkflowPort extends Workflows {
  /** Null in a process without the role of a worker. */
  firstSteps: FirstSteps | null;
}

/** Creates the port, in every process. Workers advance the instances. */
export function createWorkflows(platform: Platform): WorkflowPort {
  const requests = new Requests(platform);
  const workflows: WorkflowPort = {
    firstSteps: null,
    firstStep: async (accepted) => (await workflows.firstSteps?.of(accepted)) ?? null,
    parameters: (versionId) => requests.parameters(versionId),
    check: (versionId, input) => requests.check(versionId, input),
    accept: (statements, accepted) => addInstances(platform, statements, accepted),
    cancel: (transaction, id) => cancelInstance(platform, transaction, id),
    wake: () => workflowsToDo(platform.database, 'EVENTS'),
    log: (id): Promise<LogSource | null> => journalLog(platform, id),
    broadcast: (origin, text, beforeCommit, write) =>
      broadcastOfSubscriber(platform, workflows, origin, text, beforeCommit, write),
    publish: (origin, text, beforeCommit, write) =>
      publishOfSubscriber(platform, workflows, origin, text, beforeCommit, write),
  };
  return workflows;
}

/** Adds the instances of executions, with a precomputed first step or with a start event. */
function addInstances(platform: Platform, statements: StatementBatch, accepted: readonly AcceptedWorkflow[]): void {
  const begun = accepted.flatMap(({ firstStep }) => (firstStep instanceof PrecomputedStep ? firstStep : []));
  const others = accepted.filter(({ firstStep }) => !(firstStep instanceof PrecomputedStep));
  const rows = others.map((one) => newInstance(platform, one));
  statements.insert('workflow_instances', instanceColumns, [...begun.map(({ instance }) => instance), ...rows]);
  addFirstSteps(statements, begun);
  const events = others.map((one, at) => ({
    ...eventRow(platform, one.row.id, startEvent(one), `start:${one.row.id}`),
    owner: rows[at]?.owner,
  }));
  statements.insert('workflow_events', eventColumns, events);
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
  'state',
  'bytes',
  'sealed_secrets',
  'created_at',
] as const;

const eventColumns = ['id', 'instance_id', 'dedupe_key', 'event', 'bytes', 'owner'] as const;

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
