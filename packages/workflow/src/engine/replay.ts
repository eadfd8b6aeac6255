import type { ProcessGraph } from '../graph.ts';
import type { State } from '../state/state.ts';
import type { Env, JournalEntry } from '../types.ts';
import { resume, start, step } from './step.ts';

export type EventEntry = Extract<JournalEntry, { readonly type: 'event' }>;

/** The journal was not written by this graph and this engine: its events give other steps. */
export class OtherJournal extends Error {
  constructor(seq: number) {
    super(`The event ${seq} of the journal does not follow from those before it`);
  }
}

/**
 * Applies the events of a journal again, at their times, up to the entry with the number `until`. The state is then
 * that after the command which wrote this entry.
 *
 * `apply` and `resume` stop when `isOver` says so, and return whether `resume` has to be called before the next event.
 */
export class Replay {
  readonly #graph: ProcessGraph;
  readonly #until: number;
  readonly #isOver: () => boolean;
  #state: State | null = null;
  #env: Env = { now: 0 };
  /** Number of commands after which the next event, a cancellation, has stopped the present step. */
  #cancelledAfter: number | undefined;

  constructor(graph: ProcessGraph, until: number, isOver: () => boolean) {
    this.#graph = graph;
    this.#until = until;
    this.#isOver = isOver;
  }

  /** Null before the first event. */
  get state(): State | null {
    return this.#state;
  }

  /** Applies an event. `next`: the event after it, which may have cut its step short. Throws OtherJournal. */
  apply({ seq, at, event }: EventEntry, next: EventEntry | undefined): boolean {
    if (seq > this.#until) return false;
    if (seq !== (this.#state?.seq ?? 0) + 1) throw new OtherJournal(seq);
    this.#cancelledAfter = next?.event.type === 'cancel' ? next.event.after : undefined;
    this.#env = { now: at, pauses: (done, written) => this.#isCut(done, written) || this.#isOver() };
    if (event.type === 'start') this.#state = start(this.#graph, event, this.#env).state;
    else if (this.#state !== null) this.#state = step(this.#graph, this.#state, event, this.#env).state;
    return this.#isPaused();
  }

  /** Continues with a step that was stopped. */
  resume(): boolean {
    if (this.#state !== null) this.#state = resume(this.#graph, this.#state, this.#env).state;
    return this.#isPaused();
  }

  #isCut(done: number, written: number): boolean {
    return written >= this.#until || (this.#cancelledAfter !== undefined && done >= this.#cancelledAfter);
  }

  #isPaused(): boolean {
    const work = this.#state?.work ?? null;
    return work !== null && !this.#isCut(work.done, this.#state?.seq ?? 0);
  }
}
