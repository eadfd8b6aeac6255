import { messageOf } from '../errors.ts';
import { waitingNotice } from '../runner/waiting-notice.ts';
import type { ExecutionEnd } from '../types.ts';
import { endOf, hasLostNode, REQUEUED, type Facts } from './judge-job.ts';
import type { Mailbox } from './mailbox.ts';
import type { SlurmOptions } from './options.ts';
import { hasEnded, type QueuedJob, type Slurm, type SlurmState } from './slurm.ts';
import { UnclaimedSearch } from './unclaimed.ts';
import { neverStarts, waitingFor } from './waiting.ts';

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
/** The reason for waiting that Slurm itself cannot give. */
const AWAY = 'Away';
/** Reasons for waiting that are logged. Further ones are left out. */
const MOST_REASONS = 20;

/** A job whose end has not been reported. */
export interface Followed {
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

/** Follows jobs until their end: looks at their mailboxes and at the queue of Slurm, and reports log and end. */
export class FollowedJobs {
  readonly #slurm: Slurm;
  readonly #options: Pick<SlurmOptions, 'prefix' | 'unclaimed' | 'warn'>;
  readonly #jobs = new Map<string, Followed>();
  readonly #endedListeners = new Set<(end: ExecutionEnd) => void>();
  readonly #logListeners = new Set<(executionId: string, bytes: number) => void>();
  readonly #unclaimed: UnclaimedSearch | null;
  #timer: NodeJS.Timeout | undefined;
  #asked = -Infinity;
  #searched = -Infinity;
  #looking: Promise<void> | null = null;
  #away: string | null = null;

  constructor(slurm: Slurm, options: Pick<SlurmOptions, 'prefix' | 'unclaimed' | 'warn'>) {
    this.#slurm = slurm;
    this.#options = options;
    const { unclaimed, warn } = options;
    this.#unclaimed = unclaimed === undefined ? null : new UnclaimedSearch(slurm, unclaimed, warn);
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** The reason why Slurm does not answer; null when it does. */
  get away(): string | null {
    return this.#away;
  }

  /** The name of the job of an execution in the cluster. */
  nameOf(executionId: string): string {
    return `${this.#options.prefix}${executionId}`;
  }

  get(executionId: string): Followed | undefined {
    return this.#jobs.get(executionId);
  }

  follow(executionId: string, mailbox: Mailbox, submitting: boolean): Followed {
    const job = this.#jobs.get(executionId) ?? {
      mailbox,
      logBytes: 0,
      missingSince: null,
      submitting,
      waitingSince: null,
      reasons: new Set(),
    };
    this.#jobs.set(executionId, job);
    return job;
  }

  /** Follows a job no more, and reports nothing of it. */
  drop(executionId: string): void {
    this.#jobs.delete(executionId);
  }

  onEnded(listener: (end: ExecutionEnd) => void): () => void {
    this.#endedListeners.add(listener);
    return () => this.#endedListeners.delete(listener);
  }

  onLog(listener: (executionId: string, bytes: number) => void): () => void {
    this.#logListeners.add(listener);
    return () => this.#logListeners.delete(listener);
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
    for (const [executionId, active] of this.#jobs) {
      const bytes = active.mailbox.logBytes;
      if (bytes !== active.logBytes) {
        active.logBytes = bytes;
        for (const listener of this.#logListeners) listener(executionId, bytes);
      }
      const end = await this.endIn(executionId, active.mailbox);
      if (end !== null) this.#report(executionId, end);
    }
    // A cluster that was away is asked until it answers, also when nothing runs there any more.
    if ((this.#jobs.size > 0 || this.#away !== null) && performance.now() - this.#asked >= QUEUE_MS) {
      this.#asked = performance.now();
      await this.#compareWithQueue();
    }
    if (performance.now() - this.#searched >= UNCLAIMED_MS) {
      this.#searched = performance.now();
      await this.#cancelUnclaimed();
    }
  }

  async #cancelUnclaimed(): Promise<void> {
    const { prefix } = this.#options;
    if (this.#away !== null) return;
    await this.#unclaimed?.look((name) => name.startsWith(prefix) && this.#jobs.has(name.slice(prefix.length)));
  }

  /** Judges jobs that have left the queue without a record of their end. */
  async #compareWithQueue(): Promise<void> {
    const begun = new Set([...this.#jobs].filter(([, { mailbox }]) => mailbox.claimedAt !== null).map(([id]) => id));
    let queue;
    try {
      queue = await this.#slurm.queue(this.#options.prefix);
    } catch (error) {
      if (this.#away === null)
        this.#options.warn(`Slurm does not answer, running jobs are followed later: ${messageOf(error)}`);
      this.#away = messageOf(error);
      for (const active of this.#jobs.values()) this.#tellAway(active);
      return;
    }
    this.#away = null;
    for (const [executionId, active] of this.#jobs) {
      const job = queue.get(this.nameOf(executionId)) ?? null;
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
  async #compare(executionId: string, active: Followed, job: QueuedJob | null, begun: boolean): Promise<void> {
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
    if (state === null && id !== null) state = await this.#slurm.state(id, this.nameOf(executionId));
    // Nobody else can claim it any more: a job that comes late does not run.
    const ran = !mailbox.giveUp() && !(hasLostNode(state) && mailbox.takeBack());
    const stopped = isBack && (await mailbox.end())?.outcome === 'CANCELLED';
    this.conclude(executionId, endOf(state, { ...factsOf(executionId, mailbox, ran), stopped }));
    if (isBack) await this.#slurm.cancel(job.id, this.nameOf(executionId));
  }

  #tellAway({ mailbox, reasons }: Followed): void {
    if (mailbox.claimedAt !== null || reasons.has(AWAY)) return;
    reasons.add(AWAY);
    mailbox.note('NOTICE', waitingNotice('Slurm does not answer.'));
  }

  /** Says in the log why a job does not begin, each reason once. Ends one that never will. */
  async #wait(executionId: string, active: Followed, { id, reason }: QueuedJob): Promise<void> {
    const { mailbox, reasons } = active;
    active.waitingSince ??= performance.now();
    if (performance.now() - active.waitingSince < EXPLAIN_AFTER_MS || reason === 'None' || reasons.has(reason)) return;
    if (reasons.size >= MOST_REASONS || mailbox.claimedAt !== null) return;
    reasons.add(reason);
    const cause = neverStarts(reason);
    this.#options.warn(`job ${id} of ${executionId} waits: ${cause?.detail ?? waitingFor(reason)}`);
    if (cause === null) mailbox.note('NOTICE', waitingFor(reason));
    else if (mailbox.giveUp()) {
      const facts = factsOf(executionId, mailbox, false);
      this.conclude(executionId, { ...endOf(null, facts), outcome: 'FAILED', cause });
      await this.#slurm.cancel(id, this.nameOf(executionId));
    }
  }

  /** Keeps the end that the platform decides, and reports it. */
  conclude(executionId: string, end: ExecutionEnd): void {
    const active = this.#jobs.get(executionId);
    if (active === undefined) return;
    if (end.outcome === 'FAILED' && end.cause !== null)
      active.mailbox.note('ERROR', `${end.cause.title}: ${end.cause.detail}`);
    const whole = { ...end, logBytes: active.mailbox.logBytes };
    active.mailbox.keepEnd(whole);
    this.#report(executionId, whole);
  }

  #report(executionId: string, end: ExecutionEnd): void {
    if (!this.#jobs.delete(executionId)) return;
    for (const listener of this.#endedListeners) listener(end);
  }

  /**
   * Returns null while there is no end. The node reports CANCELLED or LOST also when the cluster has ended the job, for
   * example for its memory. Slurm knows why, as soon as the job has left the queue. An end that cannot be read is one
   * without a result.
   */
  async endIn(executionId: string, mailbox: Mailbox): Promise<ExecutionEnd | null> {
    try {
      const end = await mailbox.end();
      const isOfCluster = end?.outcome === 'CANCELLED' || end?.outcome === 'LOST';
      return isOfCluster && !mailbox.isCancelled && !mailbox.isDecided ? null : end;
    } catch (error) {
      this.#options.warn(`the end of ${executionId} could not be read: ${messageOf(error)}`);
      return endOf(null, factsOf(executionId, mailbox, true));
    }
  }
}

/** The facts of a job, of which Slurm knows the rest. `ran`: a node had claimed it. */
export function factsOf(executionId: string, mailbox: Mailbox, ran: boolean): Facts {
  return {
    executionId,
    ran,
    cancelled: mailbox.isCancelled,
    refusal: mailbox.refusal,
    startedAt: Math.floor(mailbox.claimedAt ?? Date.now()),
    logBytes: mailbox.logBytes,
  };
}
