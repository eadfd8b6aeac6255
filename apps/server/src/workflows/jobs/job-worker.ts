import { Fitting, type Workflows } from '../../executions/index.ts';
import type { AccessDirectory } from '../../gateway/index.ts';
import type { TargetClient } from '../../on-premise/index.ts';
import type { Platform } from '../../platform.ts';
import type { WorkflowJobRow } from '../../storage/index.ts';
import type { Pause } from '../loop.ts';
import { cancelJob } from './cancel-job.ts';
import { collectJob } from './collect-job.ts';
import { claimJobs, isAnyDue, postpone, removeJob, renewLeases } from './queries.ts';
import { cancelRemote, collectRemote } from './remote-job.ts';
import { failJob } from './fail-job.ts';
import { startJob } from './start-job.ts';
import { admitTask, callOf, contextOf } from './service-call.ts';

const AT_ONCE = 64;
/** For so long a job stays with a process that does not renew it: after that it has died. */
const LEASE_MS = 10_000;
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;
/** Some minutes: what the platform itself could not do by then, the task learns as a failure. */
const ATTEMPTS = 20;

/** Starts, collects and cancels what tasks run, after the step that asked for it is on disk. */
export class JobWorker {
  readonly #platform: Platform;
  readonly #workflows: Workflows;
  readonly #directory: AccessDirectory;
  readonly #targets: TargetClient;
  readonly #fitting: Fitting;
  readonly #told: () => void;
  readonly #held = new Map<string, Promise<void>>();
  #renewal: NodeJS.Timeout | null = null;

  /** `told`: instances have something to take into account, and there is room for another job. */
  constructor(
    platform: Platform,
    workflows: Workflows,
    directory: AccessDirectory,
    targets: TargetClient,
    told: () => void,
  ) {
    this.#platform = platform;
    this.#workflows = workflows;
    this.#directory = directory;
    this.#targets = targets;
    this.#fitting = new Fitting(platform);
    this.#told = told;
  }

  /** Takes what is due, as far as there is room. What takes long holds up nobody else. */
  async work(): Promise<Pause> {
    const { database, now } = this.#platform;
    const room = AT_ONCE - this.#held.size;
    const at = now();
    if (room <= 0 || !(await isAnyDue(database, at))) return null;
    const jobs = await database.write((transaction) => claimJobs(database, transaction, at, at + LEASE_MS, room));
    for (const job of jobs) {
      const working = this.#one(job).finally(() => {
        this.#held.delete(job.id);
        this.#told();
      });
      this.#held.set(job.id, working);
    }
    if (jobs.length > 0) this.#renewal ??= setInterval(() => void this.#renew(), LEASE_MS / 4);
    return null;
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#held.values());
    if (this.#renewal) clearInterval(this.#renewal);
  }

  /** What is still worked on stays with this process; when it dies, another takes it a moment later. */
  async #renew(): Promise<void> {
    const { database, now, log } = this.#platform;
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

  async #one(job: WorkflowJobRow): Promise<void> {
    try {
      if (job.state === 'OPEN')
        await startJob(this.#platform, this.#workflows, this.#directory, this.#targets, this.#fitting, job);
      else if (job.state === 'ENDED') await collectJob(this.#platform, job);
      else if (job.address?.startsWith('/')) await this.#remote(job);
      else await cancelJob(this.#platform, this.#workflows, job);
    } catch (error) {
      await this.#later(job, error);
    }
  }

  /** Of a service that runs elsewhere, as long as the workflow may call it. */
  async #remote(job: WorkflowJobRow): Promise<void> {
    const context = await contextOf(this.#platform, job.instance_id);
    if (!context) return;
    const call = callOf(job, context);
    const { target } = await admitTask(this.#platform, this.#directory, call, context);
    if (!target) throw new Error('A service that ran elsewhere does not any more');
    if (job.state === 'REMOTE') return collectRemote(this.#platform, this.#targets, job, call, target);
    await cancelRemote(this.#targets, job, target);
    await this.#platform.database.write((transaction) => removeJob(transaction, job));
  }

  async #later(job: WorkflowJobRow, error: unknown): Promise<void> {
    const { database, now, log } = this.#platform;
    log.warn({ job: job.id, attempts: job.attempts, err: error }, 'a job of a workflow is tried again');
    if (job.attempts >= ATTEMPTS && job.state === 'CANCELLING')
      return void (await database.write((transaction) => removeJob(transaction, job)));
    if (job.attempts >= ATTEMPTS) return this.#giveUp(job);
    const pause = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(job.attempts, 10));
    await database.write((transaction) => postpone(transaction, job, now() + pause)).catch(() => undefined);
  }

  async #giveUp(job: WorkflowJobRow): Promise<void> {
    const context = await contextOf(this.#platform, job.instance_id);
    if (!context) return;
    const detail = 'The platform could not call the service. The operator finds the cause in the log.';
    await failJob(this.#platform, job, callOf(job, context), { type: 'about:blank', title: 'Internal error', detail });
  }
}
