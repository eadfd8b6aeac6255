import type { State } from '../state/state.ts';
import type { Effect, JournalEntry } from '../types.ts';

/** The outcome of a step: the next state, the effects, and the journal entries. */
export interface StepResult {
  readonly state: State;
  readonly effects: readonly Effect[];
  readonly journal: readonly JournalEntry[];
  /** False when the event was late or repeated: then nothing is stored. */
  readonly changed: boolean;
}
