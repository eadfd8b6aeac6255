import { setTimeout as pause } from 'node:timers/promises';
import type { Event } from '@kethub/workflow';
import { acceptExecutions, CapacityCheck, type PreparedExecution, type Workflows } from '../../executions/index.ts';
import type { AccessDirectory, Subscriber } from '../../../catalog/access/index.ts';
import { countExecution, hasQuota } from '../../../catalog/limits/index.ts';
import type { TargetClient } from '../../../catalog/on-premise/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { Batcher, isOutage, type Queries, type WorkflowJobRow, isAmong } from '../../../foundation/storage/index.ts';
import { type CompletionQueue, DEPTH } from '../advance/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import { markAnswered, markCalling, type Answered, type Sending } from './calls.ts';
import { pauseAfter } from './retry-policy.ts';
import { markCalled, type CalledJob } from './queries.ts';

/** A call of a service of this platform for a job. */
interface MadeCall {
  readonly called: CalledJob;
  readonly subscriber: Pick<Subscriber, 'limits' | 'subscriptionId'>;
  readonly prepared: PreparedExecution;
}

type Caller = Pick<Subscriber, 'limits' | 'subscriptionId' | 'applicationId' | 'serviceVersionId'>;

/** A job whose start may be sent. */
export interface Call {
  readonly job: WorkflowJobRow;
  /** Time at which this call was counted; null: not counted, or by an earlier process. */
  readonly countedAt: number | null;
}

/** Context of everybody who works on a job. Writes of many jobs at the same time share one transaction. */
export interface JobEnvironment {
  readonly platform: Platform;
  readonly workflows: Workflows;
  readonly directory: AccessDirectory;
  readonly targets: TargetClient;
  readonly capacity: CapacityCheck;
  /** Id of this process as the sender of starts. */
  readonly caller: string;
  /**
   * Ends a job with an event for its instance: hand-over 4 of the state chart in workflows/engine.ts, to
   * {@link CompletionQueue.add}. Does nothing when the job is gone or in another state by then.
   */
  end(job: WorkflowJobRow, event: Event): Promise<void>;
  /**
   * Stores a call of a service of the platform, with its execution. Returns false when the job was cancelled meanwhile.
   */
  storeCall(call: MadeCall): Promise<boolean>;
  /**
   * Stores and counts a start before it is sent to a service elsewhere. Returns null when it must not be sent: the job
   * was cancelled, or another process took it while this one stood still. Throws quota-exceeded.
   */
  calling(job: WorkflowJobRow, caller: Caller): Promise<Call | null>;
  /** Stores what was started. Returns the state of the job, undefined when it is gone. */
  answered(answer: Answered): Promise<WorkflowJobRow['state'] | undefined>;
  /**
   * Writes the answer of a service elsewhere, which only this process knows. Retries for as long as the database is
   * away, and a few times when it refuses the write. Throws Unwritten, also when this process is to stop.
   */
  persist<T>(job: WorkflowJobRow, write: () => Promise<T>): Promise<T>;
}

/** The answer of a service elsewhere could not be written. */
export class Unwritten extends Error {
  override readonly name = 'Unwritten';

  constructor(cause: unknown) {
    super('What a service has answered could not be written', { cause });
  }
}

interface EnvironmentOf {
  readonly workflows: Workflows;
  readonly directory: AccessDirectory;
  readonly targets: TargetClient;
  readonly completions: CompletionQueue;
  /** Id of this process as the sender of starts. */
  readonly caller: string;
  /** Aborts when this process is to stop. */
  readonly stopped: AbortSignal;
}

/** Number of times that the database may refuse an answer. Then the instance is given up. */
const REFUSALS = 5;

export function createJobEnvironment(platform: Platform, of: EnvironmentOf): JobEnvironment {
  const { workflows, directory, targets, completions, caller, stopped } = of;
  const { database, log, telemetry } = platform;
  const storing = new Batcher<MadeCall, boolean>((calls) =>
    database.write((transaction) => storeCalls(platform, workflows, transaction, calls)),
  );
  const calling = new Batcher<Asking, Call | null>((all) =>
    database.write((transaction) => storeStarts(platform, transaction, caller, all)),
  );
  const answering = new Batcher<Answered, WorkflowJobRow['state'] | undefined>(async (answers) => {
    const states = await database.write((transaction) => markAnswered(transaction, answers));
    return answers.map(({ id }) => states.get(id));
  });
  return {
    platform,
    workflows,
    directory,
    targets,
    capacity: new CapacityCheck(platform),
    caller,
    end: (job, event) => completions.add({ job, event }),
    storeCall: (call) => storing.add(call),
    calling: (job, of) => calling.add({ job, of }),
    answered: (answer) => answering.add(answer),
    async persist(job, write) {
      for (let attempt = 0; ; attempt++) {
        try {
          return await write();
        } catch (error) {
          if (stopped.aborted || (!isOutage(error) && attempt >= REFUSALS)) throw new Unwritten(error);
          log.warn(
            { job: job.id, attempt, err: error },
            'the result of a job of a workflow is not written yet: it is tried again',
          );
          telemetry.metrics?.workflowRetried('answer');
          await pause(pauseAfter(attempt), undefined, { signal: stopped }).catch(() => undefined);
        }
      }
    },
  };
}

async function storeCalls(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  calls: readonly MadeCall[],
): Promise<boolean[]> {
  const marked = await markCalled(
    transaction,
    calls.map(({ called }) => called),
  );
  const stored = calls.filter(({ called }) => marked.has(called.id));
  for (const { subscriber } of stored) await count(platform, transaction, subscriber);
  const prepared = stored.map((call) => call.prepared);
  const depths = await depthsOf(
    transaction,
    prepared.filter(({ row }) => row.type === 'WORKFLOW').map(({ row }) => row.id),
  );
  await acceptExecutions(
    workflows,
    transaction,
    prepared.map((one) => ({ ...one, depth: depths.get(one.row.id) ?? 0 })),
  );
  return calls.map(({ called }) => marked.has(called.id));
}

interface Asking {
  readonly job: WorkflowJobRow;
  readonly of: Caller;
}

async function storeStarts(
  platform: Platform,
  transaction: Queries,
  caller: string,
  all: readonly Asking[],
): Promise<(Call | null)[]> {
  const sent = all.map(({ job: { id, lease }, of }): Sending => {
    const { applicationId: application_id, serviceVersionId: service_version_id } = of;
    return { id, lease, caller, application_id, service_version_id };
  });
  const states = await markCalling(transaction, sent);
  const calls: (Call | null)[] = [];
  for (const [at, { job, of }] of all.entries()) {
    const state = states.get(job.id);
    // A start that an earlier process has sent is counted already.
    const isNew = job.application_id === null;
    const countedAt = state !== undefined && isNew ? await count(platform, transaction, of) : null;
    calls.push(state === undefined ? null : { job: { ...job, ...sent[at], state }, countedAt });
  }
  return calls;
}

/** Counts an execution against a quota. Returns the time, or null without a quota. */
async function count(
  { now }: Platform,
  transaction: Queries,
  { limits, subscriptionId }: MadeCall['subscriber'],
): Promise<number | null> {
  if (!hasQuota(limits)) return null;
  const at = now();
  await countExecution(transaction, subscriptionId, limits, at);
  return at;
}

/** The depths of workflows that these jobs start. Throws conflict when one is too deep. */
async function depthsOf(transaction: Queries, jobIds: readonly string[]): Promise<Map<string, number>> {
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
