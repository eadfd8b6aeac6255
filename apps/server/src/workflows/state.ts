import { fromStored, toStored, type State, type StoredState } from '@kethub/workflow';

/** The state of an instance as it is stored. */
export function readState(text: string): State {
  return fromStored(JSON.parse(text) as StoredState);
}

export function writeState(state: State): string {
  return JSON.stringify(toStored(state));
}
