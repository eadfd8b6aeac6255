import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  changedParts,
  fromStored,
  headOf,
  jsonText,
  parseExact,
  PartsReader,
  toStored,
  type State,
  type StateHead,
  type StoredState,
} from '@kethub/workflow';
import { readExact } from './exact.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/**
 * Bytes of JSON of a state that is stored in one row. A longer state is stored in parts, so that a step writes only
 * those that it changes.
 */
export const INLINE_BYTES = 32 * 1024;
/** Milliseconds for which parts are read before the thread is yielded. */
const TURN_MS = 5;

/** A state as it is stored in the database. */
export interface LoadedState {
  readonly state: State;
  /** Bytes of the parts by name; null: the state is stored in one row. */
  readonly parts: Map<string, number> | null;
}

/** The parts of a state that are to be written. */
export interface ToStore {
  /** JSON: the state, or only its head. */
  readonly state: string;
  /** Bytes of the whole state. */
  readonly bytes: number;
  /** Changed parts, null for removed ones; 'NONE': all are removed. */
  readonly parts: ReadonlyMap<string, string | null> | 'NONE';
}

/** Computes what is to be written. The cost depends on what has changed, unless the state is small or has ended. */
export function toStore(before: LoadedState | null, bytesBefore: number, state: State): ToStore {
  const old = before?.parts ?? null;
  if (old === null || state.phase !== 'RUNNING') {
    const text = jsonText(toStored(state));
    const bytes = Buffer.byteLength(text);
    if (bytes <= INLINE_BYTES || state.phase !== 'RUNNING')
      return { state: text, bytes, parts: old === null ? new Map() : 'NONE' };
  }
  const parts = changedParts(old && before ? before.state : null, state);
  const text = `${IN_PARTS}${jsonText(headOf(state)).slice(1)}`;
  let bytes = Buffer.byteLength(text);
  // The last sum includes the head, which counts as a part that always changes.
  bytes += old === null ? 0 : bytesBefore - (old.get(HEAD) ?? 0);
  for (const [part, changed] of parts)
    bytes += (changed === null ? 0 : Buffer.byteLength(changed)) - (old?.get(part) ?? 0);
  return { state: text, bytes, parts };
}

const HEAD = 'head';
const IN_PARTS = '{"inParts":true,';

/** The loaded state after it was written. */
export function stored(
  before: LoadedState | null,
  state: State,
  { state: head, parts }: Pick<ToStore, 'parts'> & { readonly state: string | null },
): LoadedState {
  if (parts === 'NONE' || (parts.size === 0 && !before?.parts)) return { state, parts: null };
  const sizes = before?.parts ?? new Map<string, number>();
  sizes.set(HEAD, Buffer.byteLength(head ?? ''));
  for (const [part, text] of parts)
    if (text === null) sizes.delete(part);
    else sizes.set(part, Buffer.byteLength(text));
  return { state, parts: sizes };
}

/** Returns whether the row of an instance contains only the head. */
export const isInParts = (text: string): boolean => text.startsWith(IN_PARTS);

/** Parses a state that is stored in one row, which is short unless it has ended. */
export function readInline(text: string): LoadedState {
  return { state: fromStored(parseExact(text) as unknown as StoredState), parts: null };
}

/** Loads the state of an instance; null before its first step. Yields the thread meanwhile. */
export async function loadState(queries: Queries, id: string): Promise<LoadedState | null> {
  const rows = await queries
    .selectFrom('workflow_instances as instance')
    .leftJoin('workflow_state_parts as part', 'part.instance_id', 'instance.id')
    .select(['instance.state', 'part.part', 'part.text'])
    .where('instance.id', '=', id)
    .execute();
  const head = rows[0]?.state ?? null;
  if (head === null) return null;
  if (!isInParts(head)) return { state: fromStored((await readExact(head)) as StoredState), parts: null };
  const reader = new PartsReader();
  const sizes = new Map([[HEAD, Buffer.byteLength(head)]]);
  let began = performance.now();
  for (const { part, text } of rows) {
    if (part === null || text === null) continue;
    reader.addRead(part, (await readExact(text)) as object);
    sizes.set(part, Buffer.byteLength(text));
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  return { state: reader.state((await readExact(head)) as StateHead), parts: sizes };
}

export async function readState(queries: Queries, id: string): Promise<State | null> {
  return (await loadState(queries, id))?.state ?? null;
}
