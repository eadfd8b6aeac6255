import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Platform } from '../../foundation/platform.ts';

/** A lost notification, or what another process left, is found by looking again. */
const POLL_MS = 1_000;

/** How long until there may be more to do: 0 at once, null when only somebody who wakes it knows. */
export type Pause = number | null;

/** At most so long it rests between two rounds of work. */
const LONGEST_REST_MS = 10;

/**
 * Does its work again and again: when it is woken, when it said so, and once a second. Never twice at a time. It is woken
 * for every little thing: after a round without more to do it rests as long as the round took, and takes together what
 * has come meanwhile.
 */
export class Loop {
  readonly #name: string;
  readonly #work: () => Promise<Pause>;
  readonly #platform: Pick<Platform, 'log' | 'telemetry'>;
  #again = false;
  #working: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #endRest: (() => void) | null = null;
  #stopped = false;

  constructor(name: string, platform: Pick<Platform, 'log' | 'telemetry'>, work: () => Promise<Pause>) {
    this.#name = name;
    this.#platform = platform;
    this.#work = work;
  }

  /** Whether it has nothing to do and does not rest. */
  get isIdle(): boolean {
    return this.#working === null;
  }

  /** `isUrgent`: whoever wakes it is not to wait for the end of a rest. */
  wake(isUrgent = false): void {
    if (this.#stopped) return;
    this.#again = true;
    if (isUrgent) this.#endRest?.();
    this.#working ??= this.#run().finally(() => {
      this.#working = null;
      if (this.#again) this.wake();
    });
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again = false;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#working;
  }

  async #rest(milliseconds: number): Promise<void> {
    if (milliseconds < 1) return nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(LONGEST_REST_MS, milliseconds));
    this.#endRest = resolve;
    await promise;
    clearTimeout(timer);
    this.#endRest = null;
  }

  async #run(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    let pause: Pause = POLL_MS;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const began = performance.now();
      try {
        pause = await this.#work();
      } catch (error) {
        pause = POLL_MS;
        // Only an outage comes here: what one instance, timer or message does wrong is set aside by the work itself.
        this.#platform.telemetry.metrics?.workflowRetried('round');
        this.#platform.log.error({ err: error }, `${this.#name}: tried again in a second`);
      }
      if (pause !== null && pause <= 0) this.#again = true;
      else if (!this.#stopped) await this.#rest(performance.now() - began);
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(POLL_MS, pause ?? POLL_MS));
  }
}
