import { FairSlots } from '@kethub/runtime/slots';
import { Problem } from '../../../foundation/http/index.ts';
import { GitFailure } from '../git/git.ts';

/** Git processes that read at a time, in all and for one caller. */
const IN_ALL = 16;
const OF_CALLER = 4;
/** Reads that wait for a process, in all and of one caller. */
const MOST_WAITING = 200;
const WAITING_OF_CALLER = 20;
const RETRY_SECONDS = 2;

interface Waiting {
  readonly caller: string;
  readonly begin: (release: () => void) => void;
}

/** Bounds the Git processes that read. One read more waits for its turn, so that no caller fills the machine. */
export class ReadSlots {
  readonly #slots = new FairSlots(IN_ALL, OF_CALLER);
  readonly #waiting: Waiting[] = [];

  /** Takes a slot, if need be after a while. Returns a function that gives it back. Throws a Problem. */
  take(caller: string): Promise<() => void> {
    const release = this.#slots.take(caller);
    if (release) return Promise.resolve(() => this.#give(release));
    const own = this.#waiting.filter((one) => one.caller === caller).length;
    const headers = { 'retry-after': String(RETRY_SECONDS) };
    if (own >= WAITING_OF_CALLER)
      throw new Problem('too-many-readers', `You have ${own} reads of repositories waiting, which is the limit.`, {
        headers,
      });
    if (this.#waiting.length >= MOST_WAITING)
      throw new Problem(
        'readers-busy',
        'The platform reads as many repositories at the same time as it may. Ask again in a moment.',
        { headers },
      );
    return new Promise((resolve) => {
      this.#waiting.push({ caller, begin: resolve });
    });
  }

  /** Takes a slot for as long as the work goes on. Throws too-large when Git was ended because it took too long. */
  async during<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const release = await this.take(caller);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitFailure) || error.code !== null) throw error;
      throw new Problem(
        'too-large',
        'Git needs too long for this, or finds too much. Clone the repository and look there.',
      );
    } finally {
      release();
    }
  }

  #give(release: () => void): void {
    release();
    for (const [index, { caller, begin }] of this.#waiting.entries()) {
      const next = this.#slots.take(caller);
      if (!next) continue;
      this.#waiting.splice(index, 1);
      begin(() => this.#give(next));
      return;
    }
  }
}
