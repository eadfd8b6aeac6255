import type { Workflows } from '../../executions/index.ts';
import type { AccessDirectory } from '../../gateway/index.ts';
import { Problem } from '../../http/index.ts';
import type { TargetClient } from '../../on-premise/index.ts';
import type { Platform } from '../../platform.ts';
import type { ExecutionRow, WorkflowJobRow } from '../../storage/index.ts';
import { Turns, type Inbox, type RecentInstances, type Taker } from '../advance/index.ts';
import type { Pause } from '../loop.ts';
import { cancelJob } from './cancel-job.ts';
import { collectJob, executionsOf } from './collect-job.ts';
import { JobContexts, type JobContext } from './contexts.ts';
import { createDesk, type Desk } from './desk.ts';
import { delayJob } from './delay-job.ts';
import { documentOf, failJob } from './fail-job.ts';
import { isOver } from './patience.ts';
import { Places } from './places.ts';
import { claimJobs, dueJobs, nextDue, removeJob, renewLeases } from './queries.ts';
import { RemoteFault } from './remote-call.ts';
import { cancelRemote, collectRemote } from './remote-job.ts';
import { admitTask, callOf } from './service-call.ts';
import { startJob } from './start-job.ts';

/** For so long a job stays with a process that does not renew it: after that it has died. */
const LEASE_MS = 10_000;
/** How often, at most, the end of an execution that was not started here makes it look for jobs. */
const LOOK_MS = 100;
/** Executions of jobs. The ends of more of them are noticed a moment later. */
const REMEMBERED = 20_000;

/** Starts, collects and cancels what tasks run, after the step that asked for it is on disk. */
export class JobWorker implements Taker {
  readonly #desk: Desk;
  readonly #look: () => void;
  readonly #turns = new Turns();
  readonly #contexts: JobContexts;
  readonly #places = new Places();
  readonly #held = new Map<string, Promise<void>>();
  /** Jobs that are held and have ended: nothing of them is left in the table. */
  readonly #ended = new Set<string>();
  /** Executions of jobs that were started here, whose end is to be collected. */
  readonly #started = new Set<string>();
  #looked = 0;
  #renewal: NodeJS.Timeout | null = null;
  #stopped = false;

  /** `look`: there may be jobs to look for. */
  constructor(
    platform: Platform,
    workflows: Workflows,
    directory: AccessDirectory,
    targets: TargetClient,
    inbox: Inbox,
    recent: RecentInstances,
    look: () => void,
  ) {
    this.#desk = this.#noting(createDesk(platform, workflows, directory, targets, inbox));
    this.#look = look;
    this.#contexts = new JobContexts(platform, recent);
  }

  /**
   * Whether to look for what the end of this execution makes due: at once when it was started here, and else soon, should
   * the process that started it be gone.
   */
  concerns(executionId: string): boolean {
    return this.#started.has(executionId) || performance.now() - this.#looked >= LOOK_MS;
  }

  /** Remembers what becomes of jobs, so that nobody looks into the table for what is not there. */
  #noting(desk: Desk): Desk {
    return {
      ...desk,
      end: async (job, event, subscriber) => {
        await desk.end(job, event, subscriber);
        this.#ended.add(job.id);
      },
      note: (call) => {
        if (call.prepared && this.#started.size < REMEMBERED) this.#started.add(call.called.id);
        return desk.note(call);
      },
    };
  }

  /** Takes what is due, as far as there is room. What takes long holds up nobody else. */
  async work(): Promise<Pause> {
    const { database, now } = this.#desk.platform;
    const at = now();
    this.#looked = performance.now();
    const jobs = await this.#claim(at);
    if (jobs.length > 0) {
      const [contexts, executions] = await this.#whatTheyNeed(jobs);
      for (const job of jobs) this.#hold(job, this.#one(job, contexts.get(job), executions.get(job.id)));
    }
    const next = await nextDue(database, at);
    return next === null ? null : Math.max(1, next - now());
  }

  async #claim(at: number): Promise<readonly WorkflowJobRow[]> {
    const { database } = this.#desk.platform;
    const room = this.#places.room();
    if (room.all <= 0) return [];
    const due = await dueJobs(database, this.#turns, at, room);
    const owners = Map.groupBy(due, ({ owner }) => owner);
    this.#places.looked(room, new Map([...owners].map(([owner, jobs]) => [owner, jobs.length])));
    if (due.length === 0) return [];
    for (const { owner } of due) this.#places.take(owner);
    let claimed: readonly WorkflowJobRow[] = [];
    try {
      const ids = due.map(({ id }) => id);
      claimed = await database.write((transaction) => claimJobs(transaction, ids, at, at + LEASE_MS));
    } finally {
      const own = new Set(claimed.map(({ id }) => id));
      for (const { id, owner } of due) if (!own.has(id)) this.#places.give(owner);
    }
    return claimed;
  }

  /** Their instances and executions. Jobs for which these cannot be read are taken again when their time is over. */
  async #whatTheyNeed(jobs: readonly WorkflowJobRow[]) {
    const { platform } = this.#desk;
    try {
      const contexts = jobs.map(async (job) => [job, await this.#contexts.of(job.instance_id)] as const);
      return [new Map(await Promise.all(contexts)), await executionsOf(platform.database, jobs)] as const;
    } catch (error) {
      for (const { owner } of jobs) this.#places.give(owner);
      throw error;
    }
  }

  reserve(owner: string): number | null {
    return !this.#stopped && this.#places.takeAtOnce(owner) ? this.#desk.platform.now() + LEASE_MS : null;
  }

  release(owner: string): void {
    this.#places.give(owner);
  }

  begin(jobs: readonly WorkflowJobRow[]): void {
    for (const job of jobs) this.#hold(job, this.#beginOne(job));
  }

  async #beginOne(job: WorkflowJobRow): Promise<void> {
    try {
      await this.#one(job, await this.#contexts.of(job.instance_id));
    } catch (error) {
      await this.#later(job, undefined, error);
    }
  }

  #hold(job: WorkflowJobRow, one: Promise<void>): void {
    const working = one.finally(() => {
      this.#held.delete(job.id);
      this.#places.give(job.owner);
      if (!this.#ended.delete(job.id) || this.#places.someWait) this.#look();
    });
    this.#held.set(job.id, working);
    this.#renewal ??= setInterval(() => void this.#renew(), LEASE_MS / 4);
  }

  /** Ends after what is under way, whose ends somebody has to take out of the inbox. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#held.values());
    if (this.#renewal) clearInterval(this.#renewal);
  }

  /** What is still worked on stays with this process; when it dies, another takes it a moment later. */
  async #renew(): Promise<void> {
    const { database, now, log } = this.#desk.platform;
    if (this.#held.size === 0) {
      if (this.#renewal) clearInterval(this.#renewal);
      this.#renewal = null;
      return;
    }
    const ids = [...this.#held.keys()];
    await database
      .write((transaction) => renewLeases(transaction, ids, now() + LEASE_MS))
      .catch((error: unknown) => log.warn({ err: error }, 'jobs of workflows could not be held'));
  }

  async #one(job: WorkflowJobRow, context?: JobContext, execution?: ExecutionRow): Promise<void> {
    const { platform, workflows } = this.#desk;
    if (job.state !== 'OPEN') this.#started.delete(job.id);
    try {
      if (job.state === 'ENDED') await collectJob(this.#desk, job, execution);
      else if (job.state === 'CANCELLING' && !job.address?.startsWith('/')) await cancelJob(platform, workflows, job);
      // The jobs of an instance go with it.
      else if (!context) return;
      else if (job.state === 'OPEN') await startJob(this.#desk, job, context);
      else await this.#remote(job, context);
    } catch (error) {
      await this.#later(job, context, error);
    }
  }

  /** Of a service that runs elsewhere, as long as the workflow may call it. */
  async #remote(job: WorkflowJobRow, context: JobContext): Promise<void> {
    const { platform, directory, targets } = this.#desk;
    const call = callOf(job, context);
    const subscriber = await admitTask(platform, directory, call, context).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      throw new RemoteFault(error.message, false, documentOf(platform, error, null), { cause: error });
    });
    const { target } = subscriber;
    if (!target) throw new Error('A service that ran elsewhere does not any more');
    if (job.state === 'REMOTE') return collectRemote(this.#desk, job, call, { ...subscriber, target });
    await cancelRemote(targets, job, target);
    await platform.database.write((transaction) => removeJob(transaction, job));
  }

  async #later(job: WorkflowJobRow, context: JobContext | undefined, error: unknown): Promise<void> {
    const { platform } = this.#desk;
    const over = isOver(job, error) && (job.state === 'CANCELLING' || context !== undefined);
    const told = over ? 'a job of a workflow is not tried again' : 'a job of a workflow is tried again';
    platform.log.warn({ job: job.id, attempts: job.attempts, err: error }, told);
    try {
      if (!over) await delayJob(platform, job, error);
      else if (context && job.state !== 'CANCELLING') await this.#giveUp(job, context, error);
      else await platform.database.write((transaction) => removeJob(transaction, job));
    } catch (failure) {
      // Somebody takes it when its time with this process is over.
      platform.log.warn({ job: job.id, err: failure }, 'what became of a job of a workflow could not be written');
    }
  }

  async #giveUp(job: WorkflowJobRow, context: JobContext, error: unknown): Promise<void> {
    const detail = 'The platform could not call the service. The operator finds the cause in the log.';
    const unknown = { type: 'about:blank', title: 'Internal error', detail };
    await failJob(this.#desk, job, callOf(job, context), error instanceof RemoteFault ? error.response : unknown);
  }
}
