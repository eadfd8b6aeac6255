import { setTimeout as pause } from 'node:timers/promises';
import { isFinal, type ExecutionStatus } from '@kethub/contract';
import { member, type Caller } from '@kethub/server/testing/gateway';

const LOOK_MS = 200;
/** Milliseconds for every promise to come true while nothing is broken. Beyond them it counts as stuck. */
export const STUCK_MS = 30_000;

interface Open {
  /** Milliseconds for which it was seen open while nothing was broken. */
  forMs: number;
}

/**
 * Polls all open executions from their promise to their end. Only time in which nothing is broken and the platform
 * answers counts, so that a delay by an outage does not count as stuck.
 */
export class Follower {
  readonly #app: Caller;
  readonly #isBreaking: () => boolean;
  readonly #open = new Map<string, Open>();
  readonly #stuck = new Set<string>();
  /** The final state by execution, or LOST. */
  readonly #ends = new Map<string, ExecutionStatus | 'LOST'>();
  readonly #stuckMs: number;
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(app: Caller, isBreaking: () => boolean, stuckMs = STUCK_MS) {
    this.#stuckMs = stuckMs;
    this.#app = app;
    this.#isBreaking = isBreaking;
    this.#running = this.#run();
  }

  get open(): number {
    return this.#open.size;
  }

  get ends(): ReadonlyMap<string, ExecutionStatus | 'LOST'> {
    return this.#ends;
  }

  follow(id: string): void {
    this.#open.set(id, { forMs: 0 });
  }

  /** Waits until all have ended or are stuck. Returns those that were stuck, also if they continued later. */
  async end(): Promise<ReadonlySet<string>> {
    const last = performance.now() + 3 * this.#stuckMs;
    while ([...this.#open.keys()].some((id) => !this.#stuck.has(id)) && performance.now() < last) await pause(LOOK_MS);
    this.#stopped = true;
    await this.#running;
    return new Set([...this.#stuck, ...this.#open.keys()]);
  }

  async #run(): Promise<void> {
    let before = performance.now();
    let wasWell = false;
    while (!this.#stopped) {
      const isWell = !this.#isBreaking() && (await this.#look()) && !this.#isBreaking();
      const now = performance.now();
      if (isWell && wasWell) this.#count(now - before);
      before = now;
      wasWell = isWell;
      await pause(LOOK_MS);
    }
  }

  /** Returns false when the platform did not answer every request. */
  async #look(): Promise<boolean> {
    const all = await Promise.all([...this.#open.keys()].map((id) => this.#ask(id)));
    return all.every((answered) => answered);
  }

  async #ask(id: string): Promise<boolean> {
    const answer = await this.#app.request('GET', `/${id}`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
    if (answer?.status !== 200 && answer?.status !== 404) return false;
    const status = answer.status === 404 ? 'LOST' : (member(answer.body, 'status') as ExecutionStatus);
    if (status !== 'LOST' && !isFinal(status)) return true;
    this.#ends.set(id, status);
    this.#open.delete(id);
    return true;
  }

  #count(milliseconds: number): void {
    for (const [id, one] of this.#open) {
      one.forMs += milliseconds;
      if (one.forMs > this.#stuckMs) this.#stuck.add(id);
    }
  }
}
