import type { StateCollections, StateHead, StoredState } from '../types.ts';
import type { NumberMap } from './number-map.ts';
import { emptyState, withElement, withOwned, type State } from './state.ts';
import { upgraded } from './upgrade.ts';

export const collections = [
  'elements',
  'timers',
  'subscriptions',
  'incidents',
  'collected',
  'queue',
  'moved',
] as const satisfies readonly (keyof StateCollections)[];

/** An instance as plain JSON. */
export function toStored(state: State): StoredState {
  const stored: Record<string, object> = {};
  for (const name of collections) {
    const entries: Record<string, unknown> = (stored[name] = {});
    for (const [key, value] of state[name] as NumberMap<unknown>) entries[key] = value;
  }
  return { ...headOf(state), ...stored } as StoredState;
}

/** Restores a stored instance, with its indexes. */
export function fromStored(text: StoredState): State {
  const reader = new StateReader();
  const stored = upgraded(text);
  for (const name of collections) {
    const entries = Object.entries(stored[name] as { readonly [key: string]: never });
    for (const [key, value] of entries) reader.add(name, Number(key), value);
  }
  return reader.state(headOf(stored));
}

export function headOf(state: StateHead): StateHead {
  const { v, processId, seed, phase, seq, nextKey, draws, outputs, error, secrets, caughtOutside, work } = state;
  const head = { v, processId, seed, phase, seq, nextKey, draws, outputs, error, secrets, caughtOutside, work };
  const { warnings, finalVariables } = state;
  return { ...head, ...(finalVariables && { finalVariables }), ...(warnings && { warnings }) };
}

/** Builds a state from its stored items, in any order. */
export class StateReader {
  readonly #state = emptyState({} as StateHead);

  add<C extends keyof StateCollections>(name: C, key: number, value: StateCollections[C]): void {
    const state: { -readonly [N in C]: NumberMap<StateCollections[N]> } = this.#state;
    state[name] = state[name].set(key, value);
    this.#state.index = indexed(this.#state, name, key, value);
  }

  state(head: StateHead): State {
    return { ...this.#state, ...headOf(head) };
  }
}

function indexed({ index }: State, name: keyof StateCollections, key: number, value: unknown): State['index'] {
  if (name === 'elements') return withElement(index, value as StateCollections['elements']);
  if (name === 'timers' || name === 'subscriptions')
    return withOwned(index, 'waits', (value as StateCollections['timers']).element, key);
  if (name === 'incidents') return withOwned(index, 'incidents', (value as StateCollections['incidents']).element, key);
  return index;
}
