import type { State } from '../state/state.ts';
import type { Effect, JournalEntry } from '../types.ts';

/** What a step comes to: the next state, what is to be done outside, and what goes into the journal. */
export interface StepResult {
  readonly state: State;
  readonly effects: readonly Effect[];
  readonly journal: readonly JournalEntry[];
  /** False: the event was late or a repetition, and nothing is to be stored. */
  readonly changed: boolean;
}
