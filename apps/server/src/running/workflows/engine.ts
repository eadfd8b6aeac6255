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

// State chart of workflow instances and of the jobs by which their tasks call services. A job is a row of
// `workflow_jobs`; the step that takes its result deletes it. File names are relative to this folder.
//
// Instance (`workflow_instances.phase`). Each step increments `revision`; a write that read another revision is a
// Conflict.
//
//   accepted ──▶ NEW ──start──▶ RUNNING ──▶ COMPLETED | CANCELLED | ERROR
//
//   NEW         The `start` event waits in `workflow_events` (addInstances, port.ts).
//   RUNNING     At least one step is written. With a precomputed first step (first-step.ts), it is accepted like this.
//               Paused: the step needed too much time; a `resume` event continues it (steps, advance/reduce.ts).
//               Held: the platform failed; events are set aside until an operator retries (hold, advance/reduce.ts).
//   ERROR       A called process ended with an error that its caller catches, or the platform gave the instance up
//               (giveUp and broken, advance/reduce.ts).
//
// Job (`workflow_jobs.state`). A process claims OPEN, ENDED, REMOTE and CANCELLING jobs under a lease (claimJobs,
// calls/queries.ts). The state stays the same; a write under an older lease changes nothing.
// A job that is tried again keeps its state and is due later (postpone, calls/queries.ts).
//
//   service of this platform:   OPEN ──▶ STARTED ──▶ ENDED ──▶ deleted
//   service that runs elsewhere: OPEN ──▶ CALLING ──▶ REMOTE ──▶ deleted
//
//   from               to           made by                                  in the transaction that
//   (none)             OPEN         addAdvanced, advance/store.ts            writes the step that starts the job
//                                   addFirstSteps, first-step.ts             accepts the instance
//   OPEN               STARTED      markCalled, calls/queries.ts             inserts the execution under the job's id
//   STARTED            ENDED        trigger executions_end_workflow_jobs     ends the execution
//   OPEN               CALLING      markCalling, calls/calls.ts              commits before the start is sent
//   CALLING            REMOTE       markAnswered, calls/calls.ts             stores the address that the service gave
//   CALLING            OPEN         reopen, calls/calls.ts                   notes that the service has not begun
//                                   adoptCalls, calls/calls.ts               takes over the calls of a dead process
//   OPEN, ENDED,       deleted      addRemoval, advance/ends.ts              writes the step that takes the result
//     CALLING, REMOTE
//   CALLING            deleted      giveUp, calls/lost-calls.ts              fails the call of a lost worker
//
//   A step cancels jobs by cancelJobs (advance/store.ts); an instance that is given up, by endWhatRuns
//   (advance/advancer.ts). Both make the first three moves:
//
//   OPEN, ENDED        deleted
//   STARTED, REMOTE    CANCELLING
//   CALLING            WITHDRAWN    the start is on its way, so there is no id to cancel yet
//   WITHDRAWN          CANCELLING   by markAnswered, reopen, adoptCalls (calls/calls.ts)
//   CANCELLING         WITHDRAWN    by markCalling, for recall (calls/recall.ts): sends the start again to learn the id
//   CANCELLING         deleted      by removeJob, after cancelJob or cancelRemote, or in abandonJob (calls/abandon.ts)
//   WITHDRAWN          deleted      by withdraw (calls/calls.ts), without an id; or giveUp (calls/lost-calls.ts)
//
// Hand-overs of a result, in order. In brackets: what carries it, and what happens when that is lost.
//
//   1. finishExecution (executions/finish.ts) and the other ends set `ended_at`; the trigger marks the job ENDED.
//      [transaction]
//   2. executionChanged (executions/watch.ts) calls the listener below. If JobWorker.concerns, it wakes loop `working`.
//      [notification; the loop also polls once a second]
//   3. JobWorker.work claims the job, and collectJob (calls/collect-job.ts) reads the result. For a REMOTE job,
//      collectRemote (calls/remote-job.ts) polls the service; startRemote (calls/start-remote.ts) may get it at once.
//      [lease of 10 s, renewed; when it ends, any process claims the job. CALLING waits for its own worker]
//   4. JobEnvironment.end (calls/job-environment.ts) adds the result to the CompletionQueue.
//      [queue in memory; the row of the job stays as it is, so hand-over 3 is repeated]
//   5. An advancer runs advance (advance/advancer.ts): takes up to 128 results, reads their instances (loadWork, or
//      InstanceCache.recall without the database), computes the steps (reduce), and writes them (write).
//      [batch, one transaction: states, journal, effects, new jobs, removal of ended jobs, status of executions]
//   6. After the commit: Taken.resolve settles the promise of hand-over 4, and JobWorker frees the slot of the job.
//   7. After the commit: HandOver.begin (advance/hand-over.ts) passes new jobs that have a slot to JobWorker.begin.
//      [in memory; the jobs are OPEN under a lease, so hand-over 8 finds them when it ends]
//   8. After the commit: advanceOnce below wakes `working` for jobs without a slot, and the loops of the other effects.
//      [in memory; every loop polls once a second]
//   9. announce (advance/settle.ts) notifies those who wait for the workflow. If a task had called it, the trigger
//      marked that job ENDED in the transaction of hand-over 5, and this is hand-over 2 of the caller.
//
// A batch that cannot be written (couldNotWrite, advance/advancer.ts) goes back to the queue; Suspects then has
// its instances tried one by one. After a Conflict it goes back as well, and the instances are read again.
//
// Three shortcuts save reads and writes. Without them the tables carry the same work: the precomputed first step
// (`workflows.firstSteps` is null), InstanceCache (`recall` returns null), HandOver (`Advancing` without an executor).

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

/**
 * Runs workflows in every process with the role of a worker. Everything that it needs is in the database: when a
 * process dies, another goes on.
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
    const holdInstance = (id: string, cause: string): void => {
      suspects.hold(id, cause);
      notify();
    };
    const jobs = new JobWorker(platform, { workflows, directory, targets, completions, cache, look, giveUpInstance });
    const advancing = new Advancing(jobs, completions, cache, suspects);
    const working: Loop = new Loop('jobs of workflows', platform, () => jobs.work());
    const timing = new Loop('timers of workflows', platform, () => fireTimers(platform, notify, holdInstance));
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
    this.#unsubscribe.push(
      () => targets.close(),
      onWorkflowsToDo(database, (what) => (what === 'EVENTS' ? notify() : this.#wake())),
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
