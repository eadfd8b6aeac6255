import { mkdirSync, rmSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { quoted } from '../containers/handover.ts';
import { removeTree } from '../runner/discard.ts';
import type {
  ExecutionEnd,
  ExecutionJob,
  KnownExecution,
  Runtime,
  RunnerStatus,
  SandboxedCommand,
  SandboxedOutcome,
} from '../types.ts';
import { RuntimeUnavailable } from '../types.ts';
import { SlurmCommands } from './commands.ts';
import { endOf, REQUEUED, type Facts } from './judge-job.ts';
import { Mailbox, mailboxesIn } from './mailbox.ts';
import { SlurmRest, type SlurmRestSettings } from './rest.ts';
import { hasEnded, type QueuedJob, type Slurm, type SlurmState } from './slurm.ts';
import { Staging, type StagingSettings } from './staging.ts';
import { cancelUnclaimed, type UnclaimedJobs } from './unclaimed.ts';
import { neverStarts, waitingFor } from './waiting.ts';

/** The shared folder, the user and the options of batch jobs. */
export interface SlurmOptions {
  /** Folder for mailboxes. The nodes share it at the same path, unless jobs are staged. */
  readonly folder: string;
  /** The way of jobs to this machine where no folder is shared; null where one is. */
  readonly staging: StagingSettings | null;
  /** The REST interface of Slurm; null for its command line. */
  readonly rest: SlurmRestSettings | null;
  /** Command that starts our program on a node, such as `/usr/bin/node /opt/kethub/packages/runtime/src/slurm/step.ts`. */
  readonly command: readonly string[];
  /** User of the jobs; null for our own. A number is allowed for root only. */
  readonly uid: number | null;
  /** Options of sbatch for every job: partition, account, QOS, licences, GPUs. */
  readonly options: readonly string[];
  /** Further options for the jobs of single services, by id. They take precedence. */
  readonly serviceOptions?: Readonly<Record<string, readonly string[]>>;
  /** Path of slurm.conf; null for the usual one. */
  readonly configuration: string | null;
  /** Prefix of the names of jobs: two installations in one cluster must not share it. */
  readonly prefix: string;
  /** Jobs that nobody waits for any more, and that are cancelled. Default: all jobs stay. */
  readonly unclaimed?: UnclaimedJobs;
  /** Private networks that services may reach when they declare hosts there. Default none. */
  readonly networks?: readonly string[];
  /** Called with what the operator should know. */
  readonly warn: (line: string) => void;
}

/** Milliseconds between two looks at the mailboxes of running jobs. */
const LOOK_MS = 500;
/** Milliseconds between two questions to Slurm. */
const QUEUE_MS = 3_000;
/** Milliseconds from the first look that misses a job in the queue until it is judged: a shared folder may lag. */
const MISSING_MS = 6_000;
/** Milliseconds between two looks for jobs that nobody waits for. */
const UNCLAIMED_MS = 60_000;
/** Milliseconds after which the log says why a job does not begin. */
const EXPLAIN_AFTER_MS = 10_000;
/** Reasons for waiting that are logged. Further ones are left out. */
const MOST_REASONS = 20;
/** Memory in MB for our program on the node, beside that of the execution. */
const OWN_MEMORY_MB = 256;
/** Minutes that a job may take beyond the limit of the execution: the start and the end on the node. */
const OWN_MINUTES = 2;
/** Minutes more for jobs that fetch their input and bring their output. */
const STAGING_MINUTES = 30;

interface Active {
  readonly mailbox: Mailbox;
  logBytes: number;
  /** Time of the first look at the queue that missed it (monotonic milliseconds); null while it is there. */
  missingSince: number | null;
  /** True until sbatch has answered. */
  submitting: boolean;
  /** Time of the first look at the queue that found it waiting (monotonic milliseconds); null before that. */
  waitingSince: number | null;
  /** Reasons for waiting that are in the log. */
  readonly reasons: Set<string>;
}

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
  readonly #active = new Map<string, Active>();
  readonly #endedListeners = new Set<(end: ExecutionEnd) => void>();
  readonly #logListeners = new Set<(executionId: string, bytes: number) => void>();
  readonly #timer: NodeJS.Timeout;
  #asked = -Infinity;
  #searched = -Infinity;
  #looking: Promise<void> | null = null;
  #away: string | null = null;

  constructor(local: Runtime, options: SlurmOptions) {
    this.#local = local;
    this.#options = options;
    this.#slurm =
      options.rest === null ? new SlurmCommands(options.configuration, options.uid) : new SlurmRest(options.rest);
    this.#staging = options.staging === null ? null : new Staging(options.staging);
    mkdirSync(options.folder, { recursive: true, mode: 0o711 });
    for (const id of mailboxesIn(options.folder)) this.#follow(id, this.#mailbox(id));
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Opens what jobs on the nodes need of this machine. @throws when the port for transfers is taken. */
  async listen(): Promise<void> {
    await this.#staging?.listen();
  }

  async start(job: ExecutionJob): Promise<'STARTED' | 'ALREADY_KNOWN'> {
    const { executionId, limits } = job;
    if ('image' in job.code) return this.#local.start(job);
    const mailbox = this.#mailbox(executionId);
    if (mailbox.isThere) return 'ALREADY_KNOWN';
    const { command, uid, networks } = this.#options;
    const batch = { ...job, ...(networks !== undefined && { networks }) };
    const staging = this.#staging;
    if (staging === null) {
      const words = [...command, this.#options.folder, executionId].map(quoted);
      mailbox.make(batch, `#!/bin/sh\nexec ${words.join(' ')}\n`, uid);
    } else staging.make(mailbox, batch, command);
    // From here on it can be cancelled.
    const active = this.#follow(executionId, mailbox, true);
    try {
      mailbox.jobId = await this.#slurm.submit({
        name: this.#nameOf(executionId),
        script: mailbox.script,
        folder: staging === null ? mailbox.folder : '/',
        output: staging === null ? `${mailbox.folder}/slurm.out` : '/dev/null',
        memoryMb: Math.ceil(limits.memoryBytes / 2 ** 20) + OWN_MEMORY_MB,
        cpus: Math.max(1, Math.ceil(limits.cpus)),
        minutes: Math.ceil(limits.runTimeMs / 60_000) + OWN_MINUTES + (staging === null ? 0 : STAGING_MINUTES),
        gpus: gpusOf(job),
        uid,
        options: [...this.#options.options, ...(this.#options.serviceOptions?.[job.service ?? ''] ?? [])],
      });
    } catch (error) {
      // Without an answer the job may be in the queue. It stays known, and is found by its name or given up.
      if (error instanceof RuntimeUnavailable) throw error;
      this.#active.delete(executionId);
      staging?.forget(executionId);
      rmSync(mailbox.folder, { recursive: true, force: true });
      throw error;
    } finally {
      active.submitting = false;
    }
    // A cancellation that came meanwhile knew no job.
    if (mailbox.isCancelled && mailbox.jobId !== null)
      await this.#slurm.cancel(mailbox.jobId, this.#nameOf(executionId));
    return 'STARTED';
  }

  async cancel(executionId: string): Promise<void> {
    const active = this.#active.get(executionId);
    if (active === undefined) return this.#local.cancel(executionId);
    const { mailbox } = active;
    mailbox.markCancelled();
    const name = this.#nameOf(executionId);
    const id = mailbox.jobId ?? (await this.#slurm.queue(name)).get(name)?.id;
    // A job that has not begun on a node never will: the claim is ours. Otherwise the node is asked to cancel it.
    if (mailbox.claim()) {
      this.#conclude(
        executionId,
        endOf({ state: 'CANCELLED', reason: 'None' }, this.#facts(executionId, mailbox, false)),
      );
      if (id !== undefined) await this.#slurm.cancel(id, name);
    } else if (id !== undefined) await this.#slurm.signal(id, name, 'USR1');
  }

  async end(executionId: string): Promise<void> {
    const active = this.#active.get(executionId);
    if (active === undefined) return this.#local.end(executionId);
    active.mailbox.markCancelled();
    const id = active.mailbox.jobId;
    if (id !== null) await this.#slurm.cancel(id, this.#nameOf(executionId));
  }

  async list(): Promise<KnownExecution[]> {
    const known = await this.#local.list();
    for (const executionId of mailboxesIn(this.#options.folder)) {
      const mailbox = this.#mailbox(executionId);
      const end = await this.#endIn(executionId, mailbox);
      if (end !== null) known.push({ executionId, state: 'ENDED', end });
      else known.push({ executionId, state: 'RUNNING', startedAt: Math.floor(mailbox.claimedAt ?? Date.now()) });
    }
    return known;
  }

  async forget(executionId: string): Promise<void> {
    const mailbox = this.#mailbox(executionId);
    if (!mailbox.isThere) return this.#local.forget(executionId);
    if (this.#active.has(executionId)) return;
    this.#staging?.forget(executionId);
    await removeTree(mailbox.folder);
  }

  async readLog(executionId: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
    const mailbox = this.#mailbox(executionId);
    return mailbox.isThere ? mailbox.readLog(fromByte) : this.#local.readLog(executionId, fromByte);
  }

  onEnded(listener: (end: ExecutionEnd) => void): () => void {
    this.#endedListeners.add(listener);
    const stop = this.#local.onEnded(listener);
    return () => {
      this.#endedListeners.delete(listener);
      stop();
    };
  }

  onLog(listener: (executionId: string, bytes: number) => void): () => void {
    this.#logListeners.add(listener);
    const stop = this.#local.onLog(listener);
    return () => {
      this.#logListeners.delete(listener);
      stop();
    };
  }

  sandboxed(request: SandboxedCommand): Promise<SandboxedOutcome> {
    return this.#local.sandboxed(request);
  }

  /** Nothing waits on a cluster: a waiting process would keep its place in the queue of others. */
  async prewarm(): Promise<void> {}

  renewRoot(): Promise<void> {
    return this.#local.renewRoot();
  }

  async status(): Promise<RunnerStatus> {
    return { ...(await this.#local.status()), clusterAway: this.#away };
  }

  /** Stops following. Jobs go on; the next platform process reads their mailboxes. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    this.#staging?.close();
    await this.#local.close();
  }

  #mailbox(executionId: string): Mailbox {
    return new Mailbox(this.#options.folder, executionId);
  }

  #nameOf(executionId: string): string {
    return `${this.#options.prefix}${executionId}`;
  }

  #follow(executionId: string, mailbox: Mailbox, submitting = false): Active {
    const active = this.#active.get(executionId) ?? {
      mailbox,
      logBytes: 0,
      missingSince: null,
      submitting,
      waitingSince: null,
      reasons: new Set(),
    };
    this.#active.set(executionId, active);
    this.#staging?.follow(executionId, mailbox);
    return active;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce()
      .catch((error: unknown) => this.#options.warn(`jobs of Slurm could not be looked at: ${messageOf(error)}`))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    for (const [executionId, active] of this.#active) {
      const bytes = active.mailbox.logBytes;
      if (bytes !== active.logBytes) {
        active.logBytes = bytes;
        for (const listener of this.#logListeners) listener(executionId, bytes);
      }
      const end = await this.#endIn(executionId, active.mailbox);
      if (end !== null) this.#report(executionId, end);
    }
    // A cluster that was away is asked until it answers, also when nothing runs there any more.
    if ((this.#active.size > 0 || this.#away !== null) && performance.now() - this.#asked >= QUEUE_MS) {
      this.#asked = performance.now();
      await this.#compareWithQueue();
    }
    if (performance.now() - this.#searched >= UNCLAIMED_MS) {
      this.#searched = performance.now();
      await this.#cancelUnclaimed();
    }
  }

  async #cancelUnclaimed(): Promise<void> {
    const { unclaimed, prefix, warn } = this.#options;
    if (unclaimed === undefined || this.#away !== null) return;
    const isKept = (name: string): boolean => name.startsWith(prefix) && this.#active.has(name.slice(prefix.length));
    await cancelUnclaimed(this.#slurm, unclaimed, isKept, warn);
  }

  /** Judges jobs that have left the queue without a record of their end. */
  async #compareWithQueue(): Promise<void> {
    const begun = new Set([...this.#active].filter(([, { mailbox }]) => mailbox.claimedAt !== null).map(([id]) => id));
    let queue;
    try {
      queue = await this.#slurm.queue(this.#options.prefix);
    } catch (error) {
      if (this.#away === null)
        this.#options.warn(`Slurm does not answer, running jobs are followed later: ${messageOf(error)}`);
      this.#away = messageOf(error);
      return;
    }
    this.#away = null;
    for (const [executionId, active] of this.#active) {
      const job = queue.get(this.#nameOf(executionId)) ?? null;
      try {
        await this.#compare(executionId, active, job, begun.has(executionId));
      } catch (error) {
        // The others are compared all the same.
        if (!active.reasons.has('unknown'))
          this.#options.warn(`the job of ${executionId} is judged later: ${messageOf(error)}`);
        active.reasons.add('unknown');
      }
    }
  }

  /** Judges one job by its state in the queue; null when it is not there. `begun`: it had begun before the question. */
  async #compare(executionId: string, active: Active, job: QueuedJob | null, begun: boolean): Promise<void> {
    const { mailbox } = active;
    if (job !== null && mailbox.jobId !== job.id) mailbox.jobId = job.id;
    // A job that waits again would run nothing.
    const isBack = job?.state === 'PENDING' && begun;
    if (active.submitting || (job !== null && !isBack && !hasEnded(job.state))) {
      active.missingSince = null;
      if (job?.state === 'PENDING') await this.#wait(executionId, active, job);
      return;
    }
    active.missingSince ??= performance.now();
    if (performance.now() - active.missingSince < MISSING_MS) return;
    const id = mailbox.jobId;
    let state: SlurmState | null = isBack ? { state: REQUEUED, reason: 'None' } : job;
    if (state === null && id !== null) state = await this.#slurm.state(id, this.#nameOf(executionId));
    // Nobody else can claim it any more: a job that comes late does not run.
    const ran = !mailbox.claim();
    const stopped = isBack && (await mailbox.end())?.outcome === 'CANCELLED';
    this.#conclude(executionId, endOf(state, { ...this.#facts(executionId, mailbox, ran), stopped }));
    if (isBack) await this.#slurm.cancel(job.id, this.#nameOf(executionId));
  }

  /** Says in the log why a job does not begin, each reason once. Ends one that never will. */
  async #wait(executionId: string, active: Active, { id, reason }: QueuedJob): Promise<void> {
    const { mailbox, reasons } = active;
    active.waitingSince ??= performance.now();
    if (performance.now() - active.waitingSince < EXPLAIN_AFTER_MS || reason === 'None' || reasons.has(reason)) return;
    if (reasons.size >= MOST_REASONS || mailbox.claimedAt !== null) return;
    reasons.add(reason);
    const cause = neverStarts(reason);
    this.#options.warn(`job ${id} of ${executionId} waits: ${cause?.detail ?? waitingFor(reason)}`);
    if (cause === null) mailbox.note('NOTICE', waitingFor(reason));
    else if (mailbox.claim()) {
      const facts = this.#facts(executionId, mailbox, false);
      this.#conclude(executionId, { ...endOf(null, facts), outcome: 'FAILED', cause });
      await this.#slurm.cancel(id, this.#nameOf(executionId));
    }
  }

  #facts(executionId: string, mailbox: Mailbox, ran: boolean): Facts {
    return {
      executionId,
      ran,
      cancelled: mailbox.isCancelled,
      refusal: mailbox.refusal,
      startedAt: Math.floor(mailbox.claimedAt ?? Date.now()),
      logBytes: mailbox.logBytes,
    };
  }

  #conclude(executionId: string, end: ExecutionEnd): void {
    const active = this.#active.get(executionId);
    if (active === undefined) return;
    if (end.outcome === 'FAILED' && end.cause !== null)
      active.mailbox.note('ERROR', `${end.cause.title}: ${end.cause.detail}`);
    const whole = { ...end, logBytes: active.mailbox.logBytes };
    active.mailbox.keepEnd(whole);
    this.#report(executionId, whole);
  }

  #report(executionId: string, end: ExecutionEnd): void {
    if (!this.#active.delete(executionId)) return;
    for (const listener of this.#endedListeners) listener(end);
  }

  /**
   * Returns null while there is no end. The node reports CANCELLED or LOST also when the cluster has ended the job, for
   * example for its memory. Slurm knows why, as soon as the job has left the queue. An end that cannot be read is one
   * without a result.
   */
  async #endIn(executionId: string, mailbox: Mailbox): Promise<ExecutionEnd | null> {
    try {
      const end = await mailbox.end();
      const isOfCluster = end?.outcome === 'CANCELLED' || end?.outcome === 'LOST';
      return isOfCluster && !mailbox.isCancelled && !mailbox.isDecided ? null : end;
    } catch (error) {
      this.#options.warn(`the end of ${executionId} could not be read: ${messageOf(error)}`);
      return endOf(null, this.#facts(executionId, mailbox, true));
    }
  }
}

/** GPUs of a job as Slurm writes them. */
function gpusOf({ gpus }: ExecutionJob): string | null {
  if (gpus === undefined || gpus.count === 0) return null;
  return gpus.type === null ? String(gpus.count) : `${gpus.type}:${gpus.count}`;
}
