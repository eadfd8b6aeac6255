import type { State } from '../state/state.ts';
import type { ErrorEnvelope, Variables } from '../types.ts';

/**
 * The errors that the result of a workflow shows: one per open incident, in order of occurrence, then those of called
 * processes.
 */
export function errorsOf(state: State): readonly ErrorEnvelope[] {
  if (state.error !== null) return [state.error];
  const own = [...state.incidents.values()].map(({ error }) => error);
  return [...own, ...childErrorsOf(state)];
}

/** The errors of open incidents in what call activities have started. */
export function childErrorsOf(state: State): readonly ErrorEnvelope[] {
  return [...state.index.failing.keys()].flatMap((key) => state.elements.get(key)?.childErrors ?? []);
}

/**
 * The status of the execution (Workflow errors, rule 1): FAILED as soon as an incident is open, also while other
 * branches run. It is PENDING before there is a state.
 */
export function statusOf(state: State): 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' {
  if (state.phase === 'CANCELLED') return 'CANCELLED';
  if (state.phase === 'ERROR' || state.incidents.size > 0 || state.index.failing.size > 0) return 'FAILED';
  return state.phase === 'COMPLETED' ? 'SUCCEEDED' : 'RUNNING';
}

/** The root of the result, without the HAL members: output variables, or `errors`; null while there is none. */
export function resultOf(state: State): Variables | { readonly errors: readonly ErrorEnvelope[] } | null {
  switch (statusOf(state)) {
    case 'RUNNING':
      return null;
    case 'SUCCEEDED':
      return state.outputs;
    default:
      return { errors: errorsOf(state) };
  }
}
