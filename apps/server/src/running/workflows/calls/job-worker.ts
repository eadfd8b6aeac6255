import type { Event } from '@kethub/workflow';
import type { Workflows } from '../../executions/index.ts';
import type { AccessDirectory } from '../../../catalog/access/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import type { TargetClient } from '../../../catalog/on-premise/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { isOutage, type ExecutionRow, type WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { RoundRobin, type Advancing, type JobExecutor } from '../advance/index.ts';
import type { Pause } from '../loop.ts';
import { unsealSecrets } from '../secrets.ts';
import { requireWorkerId } from '../../../foundation/workers/index.ts';
import { abandonJob } from './abandon.ts';
import { adoptCalls, callerOf } from './calls.ts';
import { cancelJob } from './cancel-job.ts';
import { collectJob, executionsOf } from './collect-job.ts';
import { JobContexts, type JobContext } from './contexts.ts';
import { createJobEnvironment, Unwritten, type JobEnvironment } from './job-environment.ts';
import { delayJob, documentOf, failJob } from './fail-job.ts';
import { isOver } from './retry-policy.ts';
import { JobSlots } from './job-slots.ts';
import { claimJobs, dueJobs, nextDue, removeJob, renewLeases, undoClock } from './queries.ts';
import { redactedEvent } from './redact-secrets.ts';
import { RemoteFault } from './remote-fault.ts';
import { cancelRemote, collectRemote } from './remote-job.ts';
import { admitTask, callOf } from './service-call.ts';
import { recall, targetOfCall } from './recall.ts';
import { startJob } from './start-job.ts';

/** Milliseconds of a lease. A process that does not renew it is taken for dead, and another claims the job. */
const LEASE_MS = 10_000;
/** Milliseconds between renewals, which also detect a clock that was set back. */
const RENEWAL_MS = LEASE_MS / 4;
/** Milliseconds between looks for jobs, at least, after the ends of executions that were not started here. */
const LOOK_MS = 100;
/** Number of executions in memory that were started here. Ends of further ones are noticed a moment later. */
const REMEMBERED = 20_000;

interface JobWorkerOf extends Pick<Advancing, 'completions' | 'cache'> {
  readonly workflows: Workflows;
  readonly directory: AccessDirectory;
  readonly targets: TargetClient;
  /** Has the table read, because there may be jobs. */
  look(): void;
  /** Gives an instance up: not even the failure of its job can be written. */
  giveUpInstance(id: string, cause: string): void;
}

/** Starts, collects and cancels the services that tasks call, after the step that asked for it is on disk. */
export class JobWorker implements JobExecutor {
  readonly #environment: JobEnvironment;
  readonly #look: () => void;
  readonly #roundRobin = new RoundRobin();
  readonly #contexts: JobContexts;
  readonly #slots = new JobSlots();
  readonly #leased = new Map<string, { readonly job: WorkflowJobRow; readonly working: Promise<void> }>();
  /** Jobs of this process that have ended: they have no row any more. */
  readonly #ended = new Set<string>();
  /** Executions that were started here, and whose end is to be collected. */
  readonly #started = new Set<string>();
  readonly #workerId: string;
  /** Id of this process as the sender of starts. */
  readonly #caller: string;
  readonly #stopped = new AbortController();
  readonly #giveUpInstance: (id: string, cause: string) => void;
  #looked = 0;
  /** Time of the last renewal, on the monotonic and on the wall clock. */
  #renewed = times();
  #hasAdopted = false;
  #renewal: NodeJS.Timeout | null = null;

  constructor(platform: Platform, { completions, cache, look, giveUpInstance, ...of }: JobWorkerOf) {
    this.#workerId = requireWorkerId(platform);
    this.#caller = callerOf(this.#workerId, platform.newId());
    const environment = createJobEnvironment(platform, {
      ...of,
      completions,
      caller: this.#caller,
      stopped: this.#stopped.signal,
    });
    this.#environment = this.#recording(environment);
    this.#look = look;
    this.#giveUpInstance = giveUpInstance;
    this.#contexts = new JobContexts(platform, cache);
  }

  /**
   * Returns whether to read the table because this execution has ended. It does at once when the execution was started
   * here. Its process may have died, so otherwise all workers that listen do it together, at most every 100 ms.
   */
  concerns(executionId: string): boolean {
    const { listeners } = this.#environment.platform.pace;
    return this.#started.has(executionId) || performance.now() - this.#looked >= LOOK_MS * listeners;
  }

  /** Records ends and starts of jobs, so that the table is not read in vain. */
  #recording(environment: JobEnvironment): JobEnvironment {
    return {
      ...environment,
      end: async (job, event) => {
        await environment.end(job, await this.#withoutSecrets(job, event));
        this.#ended.add(job.id);
      },
      storeCall: (call) => {
        if (this.#started.size < REMEMBERED) this.#started.add(call.called.id);
        return environment.storeCall(call);
      },
    };
  }

  async #withoutSecrets(job: WorkflowJobRow, event: Event): Promise<Event> {
    const { sealedSecrets } = (await this.#contexts.of(job.instance_id)) ?? { sealedSecrets: null };
    if (sealedSecrets === null) return event;
    return redactedEvent(event, Object.values(unsealSecrets(this.#environment.platform, sealedSecrets)));
  }

  /** Claims due jobs, as far as slots are free. Slow jobs delay no others. */
  async work(): Promise<Pause> {
    const { database, now } = this.#environment.platform;
    // After a standstill the leases of running jobs have ended, and the jobs look as if nobody had them.
    if (this.#standstill() > RENEWAL_MS) await this.#renew();
    if (!this.#hasAdopted) await this.#adopt();
    const at = now();
    this.#looked = performance.now();
    const jobs = await this.#claim(at);
    if (jobs.length > 0) {
      const [contexts, executions] = await this.#whatTheyNeed(jobs);
      for (const job of jobs) this.#track(job, this.#one(job, contexts.get(job), executions.get(job.id)));
    }
    const next = await nextDue(database, at);
    return next === null ? null : Math.max(1, next - now());
  }

  /**
   * Milliseconds since the last renewal. Two clocks: the monotonic one stops while the machine sleeps, the other can be
   * set.
   */
  #standstill(): number {
    const { machine, wall } = times();
    return Math.max(machine - this.#renewed.machine, Math.abs(wall - this.#renewed.wall));
  }

  /** Takes over starts of earlier processes of this worker without a stored answer. */
  async #adopt(): Promise<void> {
    const { database, log } = this.#environment.platform;
    const jobs = await database.write((transaction) => adoptCalls(transaction, this.#workerId, this.#caller));
    if (jobs > 0) log.warn({ jobs }, 'took over jobs of workflows whose results an earlier process has not recorded');
    this.#hasAdopted = true;
  }

  async #claim(at: number): Promise<readonly WorkflowJobRow[]> {
    const { database } = this.#environment.platform;
    const free = this.#slots.free();
    if (free.all <= 0) return [];
    const found = await dueJobs(database, this.#roundRobin, at, free);
    // A process never claims its own jobs: they are under way, whatever the table says.
    const due = found.filter(({ id }) => !this.#leased.has(id));
    const owners = Map.groupBy(due, ({ owner }) => owner);
    this.#slots.looked(free, new Map([...owners].map(([owner, jobs]) => [owner, jobs.length])));
    if (due.length === 0) return [];
    for (const { owner } of due) this.#slots.take(owner);
    let claimed: readonly WorkflowJobRow[] = [];
    try {
      const ids = due.map(({ id }) => id);
      claimed = await database.write((transaction) => claimJobs(transaction, ids, at, at + LEASE_MS));
    } finally {
      const own = new Set(claimed.map(({ id }) => id));
      for (const { id, owner } of due) if (!own.has(id)) this.#slots.give(owner);
    }
    return claimed;
  }

  /** Reads the contexts and executions of jobs. If that fails, the jobs are claimed again when their leases end. */
  async #whatTheyNeed(jobs: readonly WorkflowJobRow[]) {
    const { platform } = this.#environment;
    try {
      const contexts = jobs.map(async (job) => [job, await this.#contexts.of(job.instance_id)] as const);
      return [new Map(await Promise.all(contexts)), await executionsOf(platform.database, jobs)] as const;
    } catch (error) {
      for (const { owner } of jobs) this.#slots.give(owner);
      throw error;
    }
  }

  reserve(owner: string): number | null {
    return !this.#stopped.signal.aborted && this.#slots.takeNow(owner)
      ? this.#environment.platform.now() + LEASE_MS
      : null;
  }

  release(owner: string): void {
    this.#slots.give(owner);
  }

  begin(jobs: readonly WorkflowJobRow[]): void {
    for (const job of jobs) this.#track(job, this.#beginOne(job));
  }

  async #beginOne(job: WorkflowJobRow): Promise<void> {
    try {
      await this.#one(job, await this.#contexts.of(job.instance_id));
    } catch (error) {
      await this.#later(job, undefined, error);
    }
  }

  #track(job: WorkflowJobRow, one: Promise<void>): void {
    const working = one.finally(() => {
      this.#leased.delete(job.id);
      this.#slots.give(job.owner);
      if (!this.#ended.delete(job.id) || this.#slots.someWait) this.#look();
    });
    this.#leased.set(job.id, { job, working });
    this.#renewal ??= setInterval(() => void this.#renewRegularly(), RENEWAL_MS);
  }

  /** Stops after the running jobs. The advancers must still be running, to write their ends. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled([...this.#leased.values()].map(({ working }) => working));
    if (this.#renewal) clearInterval(this.#renewal);
  }

  async #renewRegularly(): Promise<void> {
    if (this.#leased.size > 0) {
      await this.#renew().catch((error: unknown) =>
        this.#environment.platform.log.warn({ err: error }, 'the leases of jobs of workflows could not be renewed'),
      );
      return;
    }
    if (this.#renewal) clearInterval(this.#renewal);
    this.#renewal = null;
  }

  /**
   * Renews the leases of running jobs. When this process dies, another claims them a moment later.
   *
   * After a standstill another process may have claimed a job already. Its lease is newer, so this process writes
   * nothing more of the job.
   */
  async #renew(): Promise<void> {
    const { database, now, log } = this.#environment.platform;
    const renewed = times();
    const still = this.#standstill();
    const jobs = [...this.#leased.values()].map(({ job: { id, lease } }) => ({ id, lease }));
    if (still > LEASE_MS && jobs.length > 0)
      log.warn({ milliseconds: Math.round(still), jobs: jobs.length }, 'the process stood still, or its clock was set');
    if (jobs.length > 0) await database.write((transaction) => renewLeases(transaction, jobs, now() + LEASE_MS));
    const far = await undoClock(database, now());
    if (far > 0) log.warn({ jobs: far }, 'jobs of workflows were due in the future of a wrong clock');
    this.#renewed = renewed;
  }

  async #one(job: WorkflowJobRow, context?: JobContext, execution?: ExecutionRow): Promise<void> {
    if (job.state !== 'OPEN') this.#started.delete(job.id);
    try {
      if (job.state === 'ENDED') await collectJob(this.#environment, job, execution);
      else if (job.state === 'CANCELLING') await this.#cancel(job, context);
      // The instance is gone, and its jobs with it.
      else if (!context) return;
      else if (job.state === 'OPEN') await startJob(this.#environment, job, context);
      else await this.#remote(job, context);
    } catch (error) {
      await this.#later(job, context, error);
    }
  }

  async #cancel(job: WorkflowJobRow, context: JobContext | undefined): Promise<void> {
    const { platform, workflows, targets } = this.#environment;
    if (job.address === null) return recall(this.#environment, job, context);
    if (!job.address.startsWith('/')) return cancelJob(platform, workflows, job);
    const target = await targetOfCall(this.#environment, job, context);
    await cancelRemote(targets, job, target);
    await platform.database.write((transaction) => removeJob(transaction, job));
  }

  /** Polls a service that runs elsewhere, as long as the workflow may call it. */
  async #remote(job: WorkflowJobRow, context: JobContext): Promise<void> {
    const { platform, directory } = this.#environment;
    const call = callOf(job, context);
    const subscriber = await admitTask(platform, directory, call, context).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      throw new RemoteFault(error.message, false, documentOf(platform, error, null), { cause: error });
    });
    const { target } = subscriber;
    if (!target) throw new Error('A service that ran elsewhere does not any more');
    return collectRemote(this.#environment, job, call, { ...subscriber, target });
  }

  async #later(job: WorkflowJobRow, context: JobContext | undefined, error: unknown): Promise<void> {
    const { platform } = this.#environment;
    if (error instanceof Unwritten) return this.#leave(job, error);
    const over = isOver(job, error) && (job.state === 'CANCELLING' || context !== undefined);
    const message = over ? 'a job of a workflow is not tried again' : 'a job of a workflow is tried again';
    platform.log.warn({ job: job.id, attempts: job.attempts, err: error }, message);
    platform.telemetry.metrics?.workflowRetried('job');
    try {
      if (!over) await delayJob(platform, job, error);
      else if (context && job.state !== 'CANCELLING') await this.#giveUp(job, context, error);
      else await abandonJob(platform, job, error instanceof RemoteFault ? error.message : INTERNAL);
    } catch (failure) {
      // Another process claims the job when its lease ends.
      platform.log.warn({ job: job.id, err: failure }, 'the end of a job of a workflow could not be written');
      // Not even the failure could be written, so nothing of this instance can.
      if (over && !isOutage(failure)) this.#giveUpInstance(job.instance_id, INTERNAL);
    }
  }

  /** Leaves the call to the next process when this one is to stop. Otherwise the instance is given up: no outcome can be written. */
  #leave(job: WorkflowJobRow, error: Unwritten): void {
    const { log } = this.#environment.platform;
    log.error({ job: job.id, err: error }, 'the result of a job of a workflow could not be written');
    if (!this.#stopped.signal.aborted) this.#giveUpInstance(job.instance_id, INTERNAL);
  }

  async #giveUp(job: WorkflowJobRow, context: JobContext, error: unknown): Promise<void> {
    const unknown = { type: 'about:blank', title: 'Internal error', detail: INTERNAL };
    await failJob(
      this.#environment,
      job,
      callOf(job, context),
      error instanceof RemoteFault ? error.response : unknown,
    );
  }
}

const INTERNAL = 'The platform could not call the service. The operator finds the cause in the log.';

/** The monotonic clock and the wall clock, in milliseconds. */
function times() {
  return { machine: performance.now(), wall: Date.now() };
}
