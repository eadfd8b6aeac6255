import { EventEmitter, once } from 'node:events';
import { onBuildsChanged } from '../../catalog/services/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { onExecutionChanged, onPending } from '../executions/index.ts';
import type { Change } from './change.ts';
import { buildChanges, executionChanges } from './queries.ts';

/** Milliseconds for which changes are collected before their owners are read. */
const COLLECT_MS = 200;
/** Changes kept for readers that come back. An older position is answered with `reset`. */
const KEPT = 5_000;
/** Ids that are collected at most. More within COLLECT_MS are one `reset`. */
const MOST_COLLECTED = 2_000;
/** Milliseconds after the last reader has left until nothing is collected any more. */
const LINGER_MS = 60_000;

/** A change with its number, counted from 1 in this process. */
export type Numbered = Change & { readonly number: number };

/**
 * The changes that processes on this database have notified of, with their owners. One for each process. Positions
 * hold in this process only: after a restart, and at another process, a reader begins with `reset`.
 */
export class ChangeFeed {
  readonly #platform: Platform;
  readonly #epoch: string;
  readonly #news = new EventEmitter();
  readonly #executions = new Set<string>();
  readonly #builds = new Set<string>();
  readonly #statuses = new Map<string, string>();
  #kept: Numbered[] = [];
  #last = 0;
  #readers = 0;
  #stop: (() => void) | null = null;
  #linger: NodeJS.Timeout | undefined;
  #isCollecting = false;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#epoch = platform.newId();
    this.#news.setMaxListeners(0);
  }

  /** Begins to collect. Returns how to leave. */
  enter(): () => void {
    clearTimeout(this.#linger);
    this.#readers++;
    this.#stop ??= this.#listen();
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#readers--;
      if (this.#readers === 0) this.#linger = setTimeout(() => this.#leave(), LINGER_MS).unref();
    };
  }

  get last(): number {
    return this.#last;
  }

  idOf(number: number): string {
    return `${this.#epoch}.${number}`;
  }

  /** The number of a position, or null when changes after it are not known here. */
  positionOf(id: string | undefined): number | null {
    const [epoch, text = ''] = id?.split('.') ?? [];
    const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    const oldest = this.#kept[0]?.number ?? this.#last + 1;
    return epoch === this.#epoch && number >= oldest - 1 && number <= this.#last ? number : null;
  }

  /** The changes after a position, oldest first. */
  after(position: number): readonly Numbered[] {
    const oldest = this.#kept[0]?.number ?? this.#last + 1;
    return this.#kept.slice(Math.max(0, position + 1 - oldest));
  }

  /** Resolves when there are more changes than `position`, or when `signal` aborts. */
  async more(position: number, signal: AbortSignal): Promise<void> {
    if (position < this.#last) return;
    await once(this.#news, 'more', { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  #listen(): () => void {
    const { database } = this.#platform;
    const collect = (ids: Set<string>) => (id: string) => {
      ids.add(id);
      if (!this.#isCollecting) setTimeout(() => void this.#flush(), COLLECT_MS);
      this.#isCollecting = true;
    };
    const stops = [
      onPending(this.#platform, collect(this.#executions)),
      onExecutionChanged(database, collect(this.#executions)),
      onBuildsChanged(database, collect(this.#builds)),
    ];
    return () => stops.forEach((stop) => stop());
  }

  #leave(): void {
    this.#stop?.();
    this.#stop = null;
    // Positions end here: a reader that comes back has missed what was not collected.
    this.#kept = [];
    this.#last++;
  }

  async #flush(): Promise<void> {
    this.#isCollecting = false;
    const executions = [...this.#executions];
    const builds = [...this.#builds];
    this.#executions.clear();
    this.#builds.clear();
    this.#add(await this.#changesOf(executions, builds));
  }

  async #changesOf(executions: readonly string[], builds: readonly string[]): Promise<readonly Change[]> {
    const everything: Change = { event: 'reset', owner: null, of: {} };
    if (executions.length + builds.length > MOST_COLLECTED) return [everything];
    const { read } = this.#platform.database;
    try {
      return [...(await executionChanges(read, executions)), ...(await buildChanges(read, builds, this.#statuses))];
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'the owners of changes could not be read');
      return [everything];
    }
  }

  #add(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    for (const change of changes) this.#kept.push({ ...change, number: ++this.#last });
    if (this.#kept.length > KEPT) this.#kept = this.#kept.slice(-KEPT);
    this.#news.emit('more');
  }
}
