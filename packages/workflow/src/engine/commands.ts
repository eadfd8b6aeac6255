import type { Command, PausedStep, UrgentCommand } from '../types.ts';
import { NumberMap } from '../state/number-map.ts';
import type { State } from '../state/state.ts';
import { limits } from './limits.ts';

/**
 * The queue of commands within a step: first in, first out, urgent ones first. Commands of a paused step are taken from
 * the state; new ones are written to it only when the step is paused again.
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

  /** Returns false when the queue is full. */
  push(command: Command): boolean {
    if (this.#pending + weightOf(command) > limits.pending) return false;
    this.#pending += weightOf(command);
    this.#queue.push(command);
    return true;
  }

  /** Puts these commands first, in this order. */
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

  /** Removes all commands. */
  clear(): void {
    this.#queue.length = 0;
    this.#next = 0;
    this.#pending = 0;
    this.#urgent.length = 0;
    this.#state.queue = NumberMap.empty();
    this.#state.moved = NumberMap.empty();
  }

  /** True if the queue is empty. */
  get isEmpty(): boolean {
    const { queue, moved } = this.#state;
    return this.#urgent.length === 0 && this.#next >= this.#queue.length && queue.size === 0 && moved.size === 0;
  }

  /** The commands that are left, for the state. */
  store(): Pick<PausedStep, 'urgent' | 'nextCommand' | 'pending'> {
    for (const command of this.#queue.slice(this.#next))
      this.#state.queue = this.#state.queue.set(this.#nextCommand++, command);
    return { urgent: this.#urgent, nextCommand: this.#nextCommand, pending: this.#pending };
  }
}

const weightOf = (command: Command): number => (command.do === 'instances' ? command.to - command.from : 1);
