import type { RawBuilder } from 'kysely';
import { onExecutionChanged } from '../executions/index.ts';
import type { AccessDirectory } from '../../catalog/access/index.ts';
import { createTargetClient } from '../../catalog/on-premise/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import {
  advance,
  Advancing,
  LARGEST_BATCH,
  CompletionQueue,
  InstanceCache,
  Suspects,
  RoundRobin,
} from './advance/index.ts';
import { LeakyBucket } from './leaky-bucket.ts';
import type { WorkflowPort } from './port.ts';
import { findWork } from './find-work.ts';
import { FirstSteps } from './first-step.ts';
import { createGraphs } from './graphs.ts';
import { JobWorker } from './calls/index.ts';
import { Loop, type Pause } from './loop.ts';
import { correlateMessages, Postponed } from './messages.ts';
import { broadcastSignals } from './signals.ts';
import { fireSchedules } from './schedules.ts';
import { fireTimers } from './timers.ts';
import { publishThrown, rateOfThrown } from './thrown.ts';
import { onWorkflowsToDo } from './wake.ts';
// The state chart links to these. The compiler reports one that no link names.
// oxlint-disable no-unused-vars
import type { EndReceiver, Runtime } from '@kethub/runtime';
import type { executionChanged, ExecutionWorker, finishExecution, move, settleWorkflows } from '../executions/index.ts';
import type { addRemoval } from './advance/ends.ts';
import type { HandOver } from './advance/hand-over.ts';
import type { Taken } from './advance/completion-queue.ts';
import type { giveUp, reduce, suspend } from './advance/reduce.ts';
import type { announce } from './advance/settle.ts';
import type { addAdvanced, storeOtherEffects } from './advance/store.ts';
import type { loadWork } from './advance/work.ts';
import type { abandonJob } from './calls/abandon.ts';
import type { adoptCalls, markAnswered, markCalling, reopen, withdraw } from './calls/calls.ts';
import type { cancelJob } from './calls/cancel-job.ts';
import type { collectJob } from './calls/collect-job.ts';
import type { JobEnvironment } from './calls/job-environment.ts';
import type { giveUpCalls } from './calls/lost-calls.ts';
import type { claimJobs, markCalled, postpone, removeJob } from './calls/queries.ts';
import type { recall } from './calls/recall.ts';
import type { cancelRemote, collectRemote } from './calls/remote-job.ts';
import type { startRemote } from './calls/start-remote.ts';
import type { addFirstSteps } from './first-step.ts';
import type { createWorkflows } from './port.ts';
// oxlint-enable no-unused-vars

/**
 * Runs workflows in every process with the role of a worker. Everything that it needs is in the database: when a
 * process dies, another goes on.
 *
 * State chart of workflow instances and of the jobs by which their tasks call services. A job is a row of
 * `workflow_jobs`; the step that takes its result deletes it. Each link goes to a definition. A function that takes
 * part in a hand-over names its number.
 *
 * Instance (`workflow_instances.phase`). Each step increments `revision`; a write that read another revision is a
 * Conflict.
 *
 *     accepted ──▶ NEW ──start──▶ RUNNING ──▶ COMPLETED | CANCELLED | ERROR
 *
 *     NEW        The `start` event waits in `workflow_events` ({@link createWorkflows}).
 *     RUNNING    At least one step is written. With a precomputed first step ({@link FirstSteps}) it is accepted so.
 *                Paused: the step needed too much time; a `resume` event continues it ({@link reduce}).
 *                Suspended: the platform failed; events wait until an operator retries ({@link suspend}).
 *     ERROR      A called process ended with an error that its caller catches, or the platform gave the instance up
 *                ({@link giveUp}).
 *
 * Job (`workflow_jobs.state`). A process claims OPEN, ENDED, REMOTE and CANCELLING jobs under a lease
 * ({@link claimJobs}). The state stays the same; a write under an older lease changes nothing. A job that is tried
 * again keeps its state and is due later ({@link postpone}).
 *
 *     service of this platform:     OPEN ──▶ STARTED ──▶ ENDED ──▶ deleted
 *     service that runs elsewhere:  OPEN ──▶ CALLING ──▶ REMOTE ──▶ deleted
 *
 *     from              to          made by                       in the transaction that
 *     (none)            OPEN        {@link addAdvanced}           writes the step that starts the job
 *                                   {@link addFirstSteps}         accepts the instance
 *     OPEN              STARTED     {@link markCalled}            inserts the execution under the job's id
 *     STARTED           ENDED       the trigger of {@link move}   ends the execution
 *     OPEN              CALLING     {@link markCalling}           commits before the start is sent
 *     CALLING           REMOTE      {@link markAnswered}          stores the address that the service gave
 *     CALLING           OPEN        {@link reopen}                notes that the service has not begun
 *                                   {@link adoptCalls}            takes over the calls of a dead process
 *     OPEN, ENDED,      deleted     {@link addRemoval}            writes the step that takes the result
 *       CALLING, REMOTE
 *     CALLING           deleted     {@link giveUpCalls}           fails the call of a lost worker
 *
 * A step cancels jobs in {@link storeOtherEffects}; an instance that is given up, in {@link advance}. Both make the first
 * three moves:
 *
 *     OPEN, ENDED       deleted
 *     STARTED, REMOTE   CANCELLING
 *     CALLING           WITHDRAWN   the start is on its way, so there is no id to cancel yet
 *     WITHDRAWN         CANCELLING  by {@link markAnswered}, {@link reopen} or {@link adoptCalls}
 *     CANCELLING        WITHDRAWN   by {@link markCalling}, for {@link recall}: sends the start again to learn the id
 *     CANCELLING        deleted     by {@link removeJob}, after {@link cancelJob} or {@link cancelRemote}, or in
 *                                   {@link abandonJob}
 *     WITHDRAWN         deleted     by {@link withdraw}, without an id; or by {@link giveUpCalls}
 *
 * Hand-overs of a result, in order. In brackets: what carries it, and what happens when that is lost.
 *
 * 0. The runner records the end and sends it: {@link Runtime.onEnded}. {@link ExecutionWorker.start} listens, and has
 *    it collected: {@link EndReceiver.collect}, whose implementation calls {@link finishExecution}. [socket; after a
 *    reconnection the worker asks for the ends: {@link Runtime.list}]
 * 1. {@link finishExecution} and the other ends set `ended_at` by {@link move}, workflows by {@link settleWorkflows};
 *    the trigger `executions_end_workflow_jobs` (storage/migrations/0001-baseline.sql) marks the job ENDED.
 *    [transaction]
 * 2. {@link executionChanged} notifies every process, and {@link onExecutionChanged} calls the listener below. If
 *    {@link JobWorker.concerns}, it wakes the loop `working`. [notification; the poll of the process also wakes it]
 * 3. {@link JobWorker.work} claims the job, and {@link collectJob} reads the result. For a REMOTE job,
 *    {@link collectRemote} polls the service; {@link startRemote} may get it at once.
 *    [lease of 10 s, renewed; when it ends, any process claims the job. CALLING waits for its own worker]
 * 4. {@link JobEnvironment.end} adds the result to the queue: {@link CompletionQueue.add}.
 *    [queue in memory; the row of the job stays as it is, so hand-over 3 is repeated]
 * 5. An advancer runs {@link advance}. It takes up to 128 results ({@link CompletionQueue.next}) and reads their
 *    instances ({@link loadWork}, or {@link InstanceCache.recall} without the database). It computes the steps
 *    ({@link reduce}) and writes them. [batch, one transaction: states, journal, effects, new jobs, removal of ended
 *    jobs, status of executions]
 * 6. After the commit: {@link Taken.resolve} settles the promise of hand-over 4, and JobWorker frees the slot.
 * 7. After the commit: {@link HandOver.begin} passes new jobs that have a slot to {@link JobWorker.begin}.
 *    [in memory; the jobs are OPEN under a lease, so hand-over 8 finds them when it ends]
 * 8. After the commit: `advanceOnce` below wakes `working` for jobs without a slot, and the loops of the other
 *    effects. [in memory; the poll of the process also wakes them]
 * 9. {@link announce} notifies those who wait for the workflow. If a task had called it, the trigger marked that job
 *    ENDED in the transaction of hand-over 5. This is then hand-over 2 of the caller.
 *
 * A batch that cannot be written goes back to the queue; {@link Suspects} then has its instances tried one by one.
 * After a Conflict it goes back as well, and the instances are read again.
 *
 * Three shortcuts save reads and writes. Without them the tables carry the same work. They are the precomputed first
 * step (`workflows.firstSteps` is null), {@link InstanceCache} (`recall` returns null) and {@link HandOver}
 * (`Advancing` without an executor).
 */
export class WorkflowEngine {
  readonly #loops: readonly Loop[];
  readonly #workflows: WorkflowPort;
  readonly #advancers: readonly Loop[];
  readonly #jobs: JobWorker;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(platform: Platform, workflows: WorkflowPort, directory: AccessDirectory) {
    const { database } = platform;
    const graphs = createGraphs(platform);
    // Hand-over 8.
    const advanceOnce = async (): Promise<Pause> => {
      const { more, ...batch } = await advance(platform, graphs, advancing);
      if (batch.jobs) working.wake();
      if (batch.timers) timing.wake();
      if (batch.signals) broadcasting.wake();
      if (batch.messages) for (const loop of [publishing, correlating]) loop.wake();
      return more ? 0 : null;
    };
    const advancers = Array.from(
      { length: concurrencyOf(database) },
      () => new Loop('advancing workflows', platform, advanceOnce),
    );
    const notify = (): void => {
      advancing.roundRobin.notify();
      wakeAdvancers(advancers, completions);
    };
    const targets = createTargetClient(platform);
    const cache = new InstanceCache();
    const completions = new CompletionQueue((isUrgent) => wakeAdvancers(advancers, completions, isUrgent));
    const suspects = new Suspects();
    const look = (): void => working.wake();
    const giveUpInstance = (id: string, cause: string): void => {
      suspects.giveUp(id, cause);
      notify();
    };
    const suspendInstance = (id: string, cause: string): void => {
      suspects.suspend(id, cause);
      notify();
    };
    const jobs = new JobWorker(platform, { workflows, directory, targets, completions, cache, look, giveUpInstance });
    const advancing = new Advancing(jobs, completions, cache, suspects);
    const working: Loop = new Loop('jobs of workflows', platform, () => jobs.work());
    const timing = new Loop('timers of workflows', platform, () => fireTimers(platform, notify, suspendInstance));
    const postponed = new Postponed();
    const scheduling = new Loop('schedules of workflows', platform, () =>
      fireSchedules(platform, workflows, graphs, notify),
    );
    const correlating = new Loop('messages of workflows', platform, () =>
      correlateMessages(platform, postponed, notify),
    );
    const rate = rateOfThrown();
    const thrown = { workflows, roundRobin: new RoundRobin(), rate, postponed: new Postponed() };
    const signals = { workflows, roundRobin: new RoundRobin(), rate, postponed: new Postponed() };
    const publishing = new Loop('messages that workflows throw', platform, () =>
      publishThrown(platform, thrown, notify),
    );
    const broadcasting: Loop = new Loop('signals of workflows', platform, () =>
      broadcastSignals(platform, signals, notify),
    );
    this.#jobs = jobs;
    this.#workflows = workflows;
    workflows.firstSteps = new FirstSteps(platform, graphs, shareOfOwners(), advancing, {
      jobs: () => working.wake(),
      timers: () => timing.wake(),
    });
    this.#advancers = advancers;
    this.#loops = [working, timing, scheduling, publishing, correlating, broadcasting];
    const find = (due: RawBuilder<number | null>, loop: Loop) =>
      platform.workPoll.add({ due, polled: (found) => loop.polled(found) });
    this.#unsubscribe.push(
      platform.workPoll.add({
        due: findWork.events,
        // Suspects are due at times that only this process knows.
        polled: (due) => (due !== null || suspects.ids.length > 0) && advancers.forEach((advancer) => advancer.wake()),
      }),
      find(findWork.jobs, working),
      find(findWork.timers, timing),
      find(findWork.schedules, scheduling),
      find(findWork.messages, correlating),
      find(findWork.thrown, publishing),
      find(findWork.signals, broadcasting),
      () => targets.close(),
      onWorkflowsToDo(database, (what) => (what === 'EVENTS' ? notify() : this.#wake())),
      // Hand-over 2.
      onExecutionChanged(database, (id) => {
        if (jobs.concerns(id)) working.wake();
      }),
    );
  }

  start(): void {
    this.#wake();
  }

  /** Stops after the work under way. */
  async stop(): Promise<void> {
    this.#workflows.firstSteps = null;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    // The advancers write the results of the jobs, so they stop last.
    await this.#jobs.stop();
    await Promise.all(this.#advancers.map((advancer) => advancer.stop()));
  }

  #wake(): void {
    for (const loop of [...this.#advancers, ...this.#loops]) loop.wake();
  }
}

/** Share of one owner in the thread for first steps: 200 ms per second. Beyond it, first steps are made from events. */
export function shareOfOwners(): LeakyBucket {
  return new LeakyBucket(200, 200);
}

/**
 * Number of batches under way at a time. On PostgreSQL one is computed while others are written; with two, a third of
 * two processors was idle. SQLite has one writer, in this thread.
 */
export function concurrencyOf({ dialect }: Pick<Platform['database'], 'dialect'>): number {
  return dialect === 'postgres' ? 4 : 1;
}

/**
 * Wakes one advancer while one batch can take all completions: the fewer batches, the more each takes. Beyond that it
 * wakes all. An urgent completion goes to an idle advancer, so that it does not wait for the end of another batch.
 */
export function wakeAdvancers(
  advancers: readonly Loop[],
  { size }: Pick<CompletionQueue, 'size'>,
  isUrgent = false,
): void {
  const free = isUrgent ? advancers.find(({ isIdle }) => isIdle) : undefined;
  if (free) return free.wake();
  for (const advancer of advancers.slice(0, size > LARGEST_BATCH ? advancers.length : 1)) advancer.wake(isUrgent);
}
