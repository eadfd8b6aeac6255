import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { quoted } from '../containers/handover.ts';
import { messageOf } from '../errors.ts';
import type {
  ExecutionEnd,
  ExecutionJob,
  KnownExecution,
  Runtime,
  RunnerStatus,
  SandboxedCommand,
  SandboxedOutcome,
} from '../types.ts';
import { RuntimeUnavailable, StartRefused } from '../types.ts';
import { missingFolder } from './code-folders.ts';
import { SlurmCommands } from './commands.ts';
import { factsOf, FollowedJobs, type Followed } from './followed-jobs.ts';
import { endOf } from './judge-job.ts';
import { Mailbox, mailboxesIn, removeRests } from './mailbox.ts';
import type { SlurmOptions } from './options.ts';
import { SlurmRest } from './rest.ts';
import type { Slurm, Submission } from './slurm.ts';
import { Staging } from './staging.ts';
import { queueLimitOf, waitingFor } from './waiting.ts';

/** Memory in MB for our program on the node, beside that of the execution. */
const OWN_MEMORY_MB = 256;
/** Minutes that a job may take beyond the limit of the execution: the start and the end on the node. */
const OWN_MINUTES = 2;
/** Milliseconds until a job is submitted again of which the cluster takes no more for now. */
const QUEUE_FULL_MS = 5_000;
/** Minutes more for jobs that fetch their input and bring their output. */
const STAGING_MINUTES = 30;

/**
 * Runs executions of Python services as batch jobs of Slurm. Builds and containers stay with the runner of this machine.
 *
 * A job is found by its name, so a lost answer of sbatch starts nothing twice. A restarted platform reads the mailboxes.
 */
export class SlurmRuntime implements Runtime {
  readonly #local: Runtime;
  readonly #options: SlurmOptions;
  readonly #slurm: Slurm;
  readonly #staging: Staging | null;
  readonly #jobs: FollowedJobs;
  readonly #closed = new AbortController();

  constructor(local: Runtime, options: SlurmOptions) {
    this.#local = local;
    this.#options = options;
    this.#slurm =
      options.rest === null ? new SlurmCommands(options.configuration, options.uid) : new SlurmRest(options.rest);
    this.#staging = options.staging === null ? null : new Staging(options.staging);
    this.#jobs = new FollowedJobs(this.#slurm, options);
    mkdirSync(options.folder, { recursive: true, mode: 0o711 });
    removeRests(options.folder).catch((error: unknown) =>
      options.warn(`what is left of jobs could not be removed: ${messageOf(error)}`),
    );
    for (const id of mailboxesIn(options.folder)) this.#follow(id, this.#mailbox(id));
    this.#jobs.start();
  }

  /** Opens what jobs on the nodes need of this machine. @throws when the port for transfers is taken. */
  async listen(): Promise<void> {
    await this.#staging?.listen();
  }

  async start(job: ExecutionJob): Promise<'STARTED' | 'ALREADY_KNOWN'> {
    const { executionId } = job;
    if ('image' in job.code) return this.#local.start(job);
    const mailbox = this.#mailbox(executionId);
    if (mailbox.isThere) return 'ALREADY_KNOWN';
    // The platform installs again what an administrator has purged, and starts the execution once more.
    const missing = missingFolder(job.code);
    if (missing !== null) throw new StartRefused(`There is no folder ${missing}.`);
    try {
      this.#make(mailbox, job);
    } catch (error) {
      // One that is not whole would count as a job that has begun.
      await mailbox.remove();
      throw error;
    }
    // From here on it can be cancelled: nothing was awaited since the call.
    const active = this.#follow(executionId, mailbox, true);
    let id: string | null;
    try {
      id = await this.#submit(executionId, active, this.#submissionOf(mailbox, job));
    } catch (error) {
      // Without an answer the job may be in the queue. It stays known, and is found by its name or given up.
      if (error instanceof RuntimeUnavailable) throw error;
      this.#jobs.drop(executionId);
      this.#staging?.forget(executionId);
      await mailbox.remove();
      throw error;
    } finally {
      active.submitting = false;
    }
    if (id === null) return 'STARTED';
    try {
      mailbox.jobId = id;
    } catch (error) {
      // The job may run by now. Its id is in the queue, and is kept when there is room.
      this.#options.warn(`the id of job ${id} could not be kept yet: ${messageOf(error)}`);
    }
    // A cancellation that came meanwhile knew no job, and its end may be collected by now.
    if (mailbox.isCancelled || !mailbox.isThere) await this.#slurm.cancel(id, this.#jobs.nameOf(executionId));
    return 'STARTED';
  }

  /** Makes a mailbox with the job in it. */
  #make(mailbox: Mailbox, job: ExecutionJob): void {
    const { command, uid, networks, folder } = this.#options;
    const { notices = [], ...rest } = job;
    const batch = { ...rest, ...(networks !== undefined && { networks }) };
    if (this.#staging === null) {
      const words = [...command, folder, job.executionId].map(quoted);
      mailbox.make(batch, `#!/bin/sh\nexec ${words.join(' ')}\n`, uid);
    } else this.#staging.make(mailbox, batch, command);
    for (const line of notices) mailbox.append(line);
  }

  #submissionOf(mailbox: Mailbox, job: ExecutionJob): Submission {
    const { executionId, limits } = job;
    const { uid, options, serviceOptions } = this.#options;
    const isStaged = this.#staging !== null;
    return {
      name: this.#jobs.nameOf(executionId),
      script: mailbox.script,
      folder: isStaged ? '/' : mailbox.folder,
      output: isStaged ? '/dev/null' : `${mailbox.folder}/slurm.out`,
      memoryMb: Math.ceil(limits.memoryBytes / 2 ** 20) + OWN_MEMORY_MB,
      cpus: Math.max(1, Math.ceil(limits.cpus)),
      minutes: Math.ceil(limits.runTimeMs / 60_000) + OWN_MINUTES + (isStaged ? STAGING_MINUTES : 0),
      gpus: gpusOf(job),
      uid,
      options: [...options, ...(serviceOptions?.[job.service ?? ''] ?? [])],
    };
  }

  /** Submits a job, again and again while its account or QOS has too many in the queue. Returns null when it is cancelled. */
  async #submit(executionId: string, { mailbox, reasons }: Followed, one: Submission): Promise<string | null> {
    while (this.#jobs.get(executionId) !== undefined) {
      try {
        return await this.#slurm.submit(one);
      } catch (error) {
        const limit = queueLimitOf(error);
        if (limit === null) throw error;
        // The folder stays. The next platform finds no job of it, and the execution starts again.
        if (this.#closed.signal.aborted) throw new RuntimeUnavailable('The platform stops.');
        if (!reasons.has(limit)) {
          this.#options.warn(`the job of ${executionId} waits to be submitted: ${waitingFor(limit)}`);
          mailbox.note('NOTICE', waitingFor(limit));
        }
        reasons.add(limit);
        await pause(QUEUE_FULL_MS, null, { signal: this.#closed.signal, ref: false }).catch(() => undefined);
      }
    }
    return null;
  }

  async cancel(executionId: string): Promise<void> {
    const active = this.#jobs.get(executionId);
    if (active === undefined) return this.#local.cancel(executionId);
    const { mailbox } = active;
    mailbox.markCancelled();
    const name = this.#jobs.nameOf(executionId);
    const id = mailbox.jobId ?? (await this.#slurm.queue(name)).get(name)?.id;
    // A job that has not begun on a node never will: the claim is ours. Otherwise the node is asked to cancel it.
    if (mailbox.giveUp()) {
      const facts = factsOf(executionId, mailbox, false);
      this.#jobs.conclude(executionId, endOf({ state: 'CANCELLED', reason: 'None' }, facts));
      if (id !== undefined) await this.#slurm.cancel(id, name);
    } else if (id !== undefined) await this.#slurm.signal(id, name, 'USR1');
  }

  async end(executionId: string): Promise<void> {
    const active = this.#jobs.get(executionId);
    if (active === undefined) return this.#local.end(executionId);
    const id = active.mailbox.jobId;
    if (id === null) return this.cancel(executionId);
    active.mailbox.markCancelled();
    await this.#slurm.cancel(id, this.#jobs.nameOf(executionId));
  }

  async list(): Promise<KnownExecution[]> {
    const known = await this.#local.list();
    for (const executionId of mailboxesIn(this.#options.folder)) {
      const mailbox = this.#mailbox(executionId);
      const end = await this.#jobs.endIn(executionId, mailbox);
      if (end !== null) known.push({ executionId, state: 'ENDED', end });
      else known.push({ executionId, state: 'RUNNING', startedAt: Math.floor(mailbox.claimedAt ?? Date.now()) });
    }
    return known;
  }

  async forget(executionId: string): Promise<void> {
    const mailbox = this.#mailbox(executionId);
    if (!mailbox.isThere) return this.#local.forget(executionId);
    if (this.#jobs.get(executionId) !== undefined) return;
    this.#staging?.forget(executionId);
    await mailbox.remove();
  }

  async readLog(executionId: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
    const mailbox = this.#mailbox(executionId);
    return mailbox.isThere ? mailbox.readLog(fromByte) : this.#local.readLog(executionId, fromByte);
  }

  onEnded(listener: (end: ExecutionEnd) => void): () => void {
    const stops = [this.#jobs.onEnded(listener), this.#local.onEnded(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  onLog(listener: (executionId: string, bytes: number) => void): () => void {
    const stops = [this.#jobs.onLog(listener), this.#local.onLog(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  sandboxed(request: SandboxedCommand): Promise<SandboxedOutcome> {
    return this.#local.sandboxed(request);
  }

  /** Nothing waits on a cluster: a waiting process would keep its place in the queue of others. */
  async prewarm(): Promise<void> {}

  endWarmPods(versions: readonly string[]): Promise<void> {
    return this.#local.endWarmPods(versions);
  }

  renewRoot(): Promise<void> {
    return this.#local.renewRoot();
  }

  async status(): Promise<RunnerStatus> {
    return { ...(await this.#local.status()), clusterAway: this.#jobs.away };
  }

  /** Stops following. Jobs go on; the next platform process reads their mailboxes. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#jobs.stop();
    this.#staging?.close();
    await this.#local.close();
  }

  #mailbox(executionId: string): Mailbox {
    return new Mailbox(this.#options.folder, executionId);
  }

  #follow(executionId: string, mailbox: Mailbox, submitting = false): Followed {
    const job = this.#jobs.follow(executionId, mailbox, submitting);
    this.#staging?.follow(executionId, mailbox);
    return job;
  }
}

/** GPUs of a job as Slurm writes them. */
function gpusOf({ gpus }: ExecutionJob): string | null {
  if (gpus === undefined || gpus.count === 0) return null;
  return gpus.type === null ? String(gpus.count) : `${gpus.type}:${gpus.count}`;
}
