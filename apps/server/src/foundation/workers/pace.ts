/**
 * Workers that poll at full pace, and all listen for notifications. More of them poll less often, so that together they
 * ask the database no more.
 */
const AT_FULL_PACE = 100;
/** Most milliseconds between two polls. */
const LONGEST_MS = 10_000;
/** Workers that listen where there are more. A notification wakes every listener, and polls find work just as soon. */
const LISTENERS = 25;
/** Workers that all look at once for an execution that was accepted. */
const AT_ONCE = 10;
/** Milliseconds of a round for each worker, up to a hundred. A claim takes some milliseconds. */
const TURN_MS = 5;
/** Times that the time until a turn is doubled. */
const MOST_DOUBLED = 4;

/**
 * The pace at which a worker asks the database for work that any worker may do. Polls make up for lost notifications.
 * Where a thousand workers poll in turns, one of them finds the work just as soon as if each asked every second.
 */
export class Pace {
  /** Workers that are not lost, as of the last heartbeat. */
  workers = 1;
  /** Workers among these that are older than this one. */
  older = 0;

  /** True if there are so many workers that another one finds within some 10 ms what this one passes over. */
  get isOneOfMany(): boolean {
    return this.workers > AT_FULL_PACE;
  }

  /** Workers that listen for notifications: the oldest. */
  get listeners(): number {
    return this.isOneOfMany ? LISTENERS : this.workers;
  }

  get listens(): boolean {
    return !this.isOneOfMany || this.older < LISTENERS;
  }

  /** Milliseconds until the next poll; `ms` is the time for few workers. A random part keeps workers from polling together. */
  pollMs(ms: number, longest = LONGEST_MS): number {
    if (!this.isOneOfMany) return ms;
    return Math.max(ms, this.longestMs(ms, longest) * (0.75 + Math.random() / 4));
  }

  /** Most milliseconds until the next poll. */
  longestMs(ms: number, longest = LONGEST_MS): number {
    return Math.max(ms, Math.min(longest, (ms * this.workers) / AT_FULL_PACE));
  }

  /**
   * Milliseconds by which this worker lets others go first, when all that listen hear of the same execution. Its id
   * decides whose turn is first; the others follow by age.
   */
  spreadMs(executionId: string): number {
    if (this.workers <= AT_ONCE) return 0;
    // The last digits of an id are random.
    const turn = (this.older + Number.parseInt(executionId.slice(-8), 16)) % this.listeners;
    return (turn * this.#roundMs) / this.listeners;
  }

  /** Milliseconds in which each worker that listens has a turn. */
  get #roundMs(): number {
    return Math.min(this.workers, AT_FULL_PACE) * TURN_MS;
  }

  /**
   * Milliseconds until this worker's next turn, by chance, so that of all workers one comes after the other. It is later
   * the more turns came in vain: the turns of all take longer than was thought.
   */
  turnMs(inVain: number): number {
    return Math.random() * Math.min(LONGEST_MS, this.#roundMs * 2 ** Math.min(inVain, MOST_DOUBLED));
  }

  /** Repeats `work` at this pace. Returns a function that ends this. */
  every(ms: number, work: () => void, longest = LONGEST_MS): () => void {
    let timer: NodeJS.Timeout;
    const next = (): void => {
      timer = setTimeout(
        () => {
          next();
          work();
        },
        this.pollMs(ms, longest),
      );
    };
    next();
    return () => clearTimeout(timer);
  }
}
