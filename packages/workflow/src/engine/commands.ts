import type { Command, PausedStep, UrgentCommand } from '../types.ts';
import { NumberMap } from '../state/number-map.ts';
import type { State } from '../state/state.ts';
import { limits } from './limits.ts';

/**
 * What is to be done within a step: first in, first out, but what is urgent before all else. Commands of a step that was paused
 * are taken from the state, and new ones go into it only when the step is paused again.
 */
export class Commands {
  readonly #state: Pick<State, 'queue' | 'moved'>;
  readonly #urgent: UrgentCommand[];
  readonly #queue: Command[] = [];
  #next = 0;
  #nextCommand: number;
  #pending: number;

  constructor(state: Pick<State, 'queue' | 'moved'>, work: PausedStep | null) {
    this.#state = state;
    this.#urgent = [...(work?.urgent ?? [])];
    this.#nextCommand = work?.nextCommand ?? 0;
    this.#pending = work?.pending ?? 0;
  }

  /** False: that would be more than fits into the memory. */
  push(command: Command): boolean {
    if (this.#pending + weightOf(command) > limits.pending) return false;
    this.#pending += weightOf(command);
    this.#queue.push(command);
    return true;
  }

  /** These are next, in this order. */
  pushUrgent(...commands: readonly UrgentCommand[]): void {
    this.#urgent.push(...commands.toReversed());
  }

  next(): Command | undefined {
    const urgent = this.#urgent.pop();
    if (urgent !== undefined) return urgent;
    const command = this.#nextStored() ?? this.#queue[this.#next++];
    if (command !== undefined) this.#pending -= weightOf(command);
    else {
      this.#queue.length = 0;
      this.#next = 0;
    }
    return command;
  }

  #nextStored(): Command | undefined {
    for (const [number, command] of this.#state.queue) {
      this.#state.queue = this.#state.queue.delete(number);
      return command;
    }
    return undefined;
  }

  /** Nothing is to be done any more. */
  clear(): void {
    this.#queue.length = 0;
    this.#next = 0;
    this.#pending = 0;
    this.#urgent.length = 0;
    this.#state.queue = NumberMap.empty();
    this.#state.moved = NumberMap.empty();
  }

  /** Whether there is something to do. */
  get isEmpty(): boolean {
    const { queue, moved } = this.#state;
    return this.#urgent.length === 0 && this.#next >= this.#queue.length && queue.size === 0 && moved.size === 0;
  }

  /** Keeps in the state what is left. */
  store(): Pick<PausedStep, 'urgent' | 'nextCommand' | 'pending'> {
    for (const command of this.#queue.slice(this.#next))
      this.#state.queue = this.#state.queue.set(this.#nextCommand++, command);
    return { urgent: this.#urgent, nextCommand: this.#nextCommand, pending: this.#pending };
  }
}

const weightOf = (command: Command): number => (command.do === 'instances' ? command.to - command.from : 1);
