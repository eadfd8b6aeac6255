import type { Workflows } from '../../executions/index.ts';
import type { AccessDirectory } from '../../gateway/index.ts';
import type { TargetClient } from '../../on-premise/index.ts';
import type { Platform } from '../../platform.ts';
import type { ExecutionRow, WorkflowJobRow } from '../../storage/index.ts';
import { Turns } from '../advance/index.ts';
import type { Pause } from '../loop.ts';
import { cancelJob } from './cancel-job.ts';
import { collectJob, executionsOf } from './collect-job.ts';
import { createDesk, type Desk } from './desk.ts';
import { failJob } from './fail-job.ts';
import { claimJobs, dueJobs, nextDue, postpone, removeJob, renewLeases } from './queries.ts';
import { cancelRemote, collectRemote } from './remote-job.ts';
import { admitTask, callOf, contextsOf, type JobContext } from './service-call.ts';
import { startJob } from './start-job.ts';

const AT_ONCE = 128;
/** The rest is for others, however slow what one owner calls is. */
const OF_ONE_OWNER = 96;
/** For so long a job stays with a process that does not renew it: after that it has died. */
const LEASE_MS = 10_000;
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** Some minutes: what the platform itself could not do by then, the task learns as a failure. */
const ATTEMPTS = 20;

/** Starts, collects and cancels what tasks run, after the step that asked for it is on disk. */
export class JobWorker {
  readonly #desk: Desk;
  readonly #told: () => void;
  readonly #turns = new Turns();
  readonly #held = new Map<string, { readonly owner: string; readonly working: Promise<void> }>();
  #renewal: NodeJS.Timeout | null = null;

  /** `told`: instances have something to take into account, and there is room for another job. */
  constructor(
    platform: Platform,
    workflows: Workflows,
    directory: AccessDirectory,
    targets: TargetClient,
    told: () => void,
  ) {
    this.#desk = createDesk(platform, workflows, directory, targets);
    this.#told = told;
  }

  /** Takes what is due, as far as there is room. What takes long holds up nobody else. */
  async work(): Promise<Pause> {
    const { platform } = this.#desk;
    const { database, now } = platform;
    const at = now();
    const jobs = await this.#claim(at);
    if (jobs.length > 0) {
      const instances = jobs.map(({ instance_id }) => instance_id);
      const contexts = await contextsOf(platform, instances);
      const executions = await executionsOf(database, jobs);
      for (const job of jobs) this.#hold(job, contexts.get(job.instance_id), executions.get(job.id));
      this.#renewal ??= setInterval(() => void this.#renew(), LEASE_MS / 4);
    }
    const next = await nextDue(database, at);
    return next === null ? null : Math.max(1, next - now());
  }

  async #claim(at: number): Promise<WorkflowJobRow[]> {
    const { database } = this.#desk.platform;
    const all = AT_ONCE - this.#held.size;
    if (all <= 0) return [];
    const held = Map.groupBy(this.#held.values(), ({ owner }) => owner);
    const room = { all, of: (owner: string) => OF_ONE_OWNER - (held.get(owner)?.length ?? 0) };
    const ids = await dueJobs(database, this.#turns, at, room);
    if (ids.length === 0) return [];
    return database.write((transaction) => claimJobs(transaction, ids, at, at + LEASE_MS));
  }

  #hold(job: WorkflowJobRow, context: JobContext | undefined, execution: ExecutionRow | undefined): void {
    const working = this.#one(job, context, execution).finally(() => {
      this.#held.delete(job.id);
      this.#told();
    });
    this.#held.set(job.id, { owner: job.owner, working });
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    await Promise.allSettled([...this.#held.values()].map(({ working }) => working));
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
    const { target } = await admitTask(platform, directory, call, context);
    if (!target) throw new Error('A service that ran elsewhere does not any more');
    if (job.state === 'REMOTE') return collectRemote(this.#desk, job, call, target);
    await cancelRemote(targets, job, target);
    await platform.database.write((transaction) => removeJob(transaction, job));
  }

  async #later(job: WorkflowJobRow, context: JobContext | undefined, error: unknown): Promise<void> {
    const { database, now, log } = this.#desk.platform;
    log.warn({ job: job.id, attempts: job.attempts, err: error }, 'a job of a workflow is tried again');
    if (job.attempts >= ATTEMPTS && job.state === 'CANCELLING')
      return void (await database.write((transaction) => removeJob(transaction, job)));
    if (job.attempts >= ATTEMPTS && context) return this.#giveUp(job, context);
    const pause = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(job.attempts, 10));
    await database.write((transaction) => postpone(transaction, job, now() + pause)).catch(() => undefined);
  }

  async #giveUp(job: WorkflowJobRow, context: JobContext): Promise<void> {
    const detail = 'The platform could not call the service. The operator finds the cause in the log.';
    await failJob(this.#desk, job, callOf(job, context), { type: 'about:blank', title: 'Internal error', detail });
  }
}
