import { onExecutionChanged } from '../executions/index.ts';
import type { AccessDirectory } from '../../catalog/access/index.ts';
import { createTargetClient } from '../../catalog/on-premise/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { advance, Advancing, LARGEST_BATCH, Inbox, RecentInstances, Suspects, Turns } from './advance/index.ts';
import { Budget } from './budget.ts';
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

/** What one owner may use of a second of the thread for the first steps of instances. */
export function shareOfOwners(): Budget {
  return new Budget(200, 200);
}

/**
 * How many batches are under way at a time. On PostgreSQL one is computed while others are written: with two, a third of two
 * processors waits. SQLite has one writer, in this very thread.
 */
export function lanesOf({ dialect }: Pick<Platform['database'], 'dialect'>): number {
  return dialect === 'postgres' ? 4 : 1;
}

/**
 * One, as long as a batch holds all that waits: the fewer are under way, the more each takes along. Beyond that all of them,
 * and for somebody who has not just been served one that is free, so that nobody waits for the end of another's batch.
 */
export function wakeLanes(lanes: readonly Loop[], { size }: Pick<Inbox, 'size'>, isUrgent = false): void {
  const free = isUrgent ? lanes.find(({ isIdle }) => isIdle) : undefined;
  if (free) return free.wake();
  for (const lane of lanes.slice(0, size > LARGEST_BATCH ? lanes.length : 1)) lane.wake(isUrgent);
}

/**
 * Runs workflows, in every process with the role of a worker. All that it needs to know lies in the database: whichever
 * process dies, another goes on with what is written.
 */
export class WorkflowEngine {
  readonly #loops: readonly Loop[];
  readonly #workflows: WorkflowPort;
  readonly #lanes: readonly Loop[];
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
    const lanes = Array.from(
      { length: lanesOf(database) },
      () => new Loop('advancing workflows', platform, advanceOnce),
    );
    const told = (): void => {
      advancing.turns.told();
      wakeLanes(lanes, inbox);
    };
    const targets = createTargetClient(platform);
    const recent = new RecentInstances();
    const inbox = new Inbox((isUrgent) => wakeLanes(lanes, inbox, isUrgent));
    const suspects = new Suspects();
    const look = (): void => working.wake();
    const giveUpInstance = (id: string, cause: string): void => {
      suspects.giveUp(id, cause);
      told();
    };
    const holdInstance = (id: string, cause: string): void => {
      suspects.hold(id, cause);
      told();
    };
    const jobs = new JobWorker(platform, { workflows, directory, targets, inbox, recent, look, giveUpInstance });
    const advancing = new Advancing(jobs, inbox, recent, suspects);
    const working: Loop = new Loop('jobs of workflows', platform, () => jobs.work());
    const timing = new Loop('timers of workflows', platform, () => fireTimers(platform, told, holdInstance));
    const postponed = new Postponed();
    const scheduling = new Loop('schedules of workflows', platform, () =>
      fireSchedules(platform, workflows, graphs, told),
    );
    const correlating = new Loop('messages of workflows', platform, () => correlateMessages(platform, postponed, told));
    const rate = rateOfThrown();
    const thrown = { workflows, turns: new Turns(), rate, postponed: new Postponed() };
    const signals = { workflows, turns: new Turns(), rate, postponed: new Postponed() };
    const publishing = new Loop('messages that workflows throw', platform, () => publishThrown(platform, thrown, told));
    const broadcasting: Loop = new Loop('signals of workflows', platform, () =>
      broadcastSignals(platform, signals, told),
    );
    this.#jobs = jobs;
    this.#workflows = workflows;
    workflows.firstSteps = new FirstSteps(platform, graphs, shareOfOwners(), advancing, {
      jobs: () => working.wake(),
      timers: () => timing.wake(),
    });
    this.#lanes = lanes;
    this.#loops = [working, timing, scheduling, publishing, correlating, broadcasting];
    this.#unsubscribe.push(
      () => targets.close(),
      onWorkflowsToDo(database, (what) => (what === 'EVENTS' ? told() : this.#wake())),
      onExecutionChanged(database, (id) => {
        if (jobs.concerns(id)) working.wake();
      }),
    );
  }

  start(): void {
    this.#wake();
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    this.#workflows.firstSteps = null;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    // What the jobs have come to is written by the lanes.
    await this.#jobs.stop();
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  #wake(): void {
    for (const loop of [...this.#lanes, ...this.#loops]) loop.wake();
  }
}
