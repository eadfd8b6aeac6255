import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { ExactNumber, jsonText, largeJson, parseExact } from '@kethub/feel';
import type { StateCollections, StateHead, Value } from '../types.ts';
import type { NumberMap } from './number-map.ts';
import { emptyState, type State } from './state.ts';
import { collections, headOf, StateReader } from './stored.ts';

/** Consecutive numbers in one part: elements that belong together were mostly made together. */
const NUMBERS = 16;
/** Characters of a value, about. A longer value is a part of its own. */
const LARGE = 1_000;

/** A part with many elements and other items, by number. */
type Many = Partial<Record<keyof StateCollections, { [key: string]: unknown }>>;

/**
 * The changed parts of a large state, by name; null for removed ones. The cost depends on the difference, not on the
 * state.
 */
export function changedParts(before: State | null, after: State): Map<string, string | null> {
  const old = before ?? emptyState(after);
  const parts = new Map<string, string | null>();
  for (const name of collections) {
    for (const key of (after[name] as NumberMap<unknown>).changed(old[name])) {
      const part = partOf(name, key);
      if (!parts.has(part)) parts.set(part, name === 'queue' ? queueText(after, key) : manyText(after, key));
      if (name === 'elements') addVariables(parts, key, old, after);
      if (name === 'collected') addCollected(parts, key, old, after);
    }
  }
  return parts;
}

const partOf = (name: keyof StateCollections, key: number): string =>
  `${name === 'queue' ? 'queue' : 'many'} ${Math.floor(key / NUMBERS)}`;

function rangeOf(key: number): readonly [number, number] {
  const from = key - (key % NUMBERS);
  return [from, from + NUMBERS];
}

function queueText({ queue }: State, key: number): string | null {
  const entries = [...queue.range(...rangeOf(key))];
  return entries.length === 0 ? null : jsonText({ queue: Object.fromEntries(entries) });
}

function manyText(state: State, key: number): string | null {
  const many: Many = {};
  for (const name of collections) {
    if (name === 'queue') continue;
    for (const [each, value] of (state[name] as NumberMap<unknown>).range(...rangeOf(key))) {
      if (name === 'collected' && isLarge(value as Value)) continue;
      (many[name] ??= {})[each] = name === 'elements' ? withoutLarge(state, each) : value;
    }
  }
  return Object.keys(many).length === 0 ? null : jsonText(many);
}

function withoutLarge({ elements }: State, key: number): object {
  const element = elements.get(key);
  const variables = Object.entries(element?.variables ?? {}).filter(([, value]) => !isLarge(value));
  return { ...element, variables: Object.fromEntries(variables) };
}

/** Adds the changed large variables of an element. */
function addVariables(parts: Map<string, string | null>, key: number, before: State, after: State): void {
  const [old = {}, now = {}] = [before, after].map(({ elements }) => elements.get(key)?.variables);
  for (const [name, value] of Object.entries(now)) {
    if (isLarge(value) && old[name] !== value) parts.set(variablePart(key, name), jsonText({ key, name, value }));
  }
  for (const [name, value] of Object.entries(old)) {
    const isStill = Object.hasOwn(now, name) && isLarge(now[name] ?? null);
    if (isLarge(value) && !isStill) parts.set(variablePart(key, name), null);
  }
}

/** A name can be longer than a database likes to index. */
const variablePart = (key: number, name: string): string => `variable ${key} ${base64Url(sha256(utf8ToBytes(name)))}`;

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

function addCollected(parts: Map<string, string | null>, key: number, before: State, after: State): void {
  const [old, now] = [before.collected.get(key), after.collected.get(key)];
  if (now !== undefined && isLarge(now)) parts.set(`collected ${key}`, jsonText({ key, value: now }));
  else if (old !== undefined && isLarge(old)) parts.set(`collected ${key}`, null);
}

const known = new WeakMap<object, boolean>();

function isLarge(value: Value): boolean {
  if (value instanceof ExactNumber) return value.text.length > LARGE;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' && value.length > LARGE;
  if (largeJson(value) !== undefined) return true;
  let large = known.get(value);
  if (large === undefined) known.set(value, (large = needsMore(value, LARGE) < 0));
  return large;
}

/** The rest of `most` characters after a value; negative as soon as they do not suffice. */
function needsMore(value: Value, most: number): number {
  if (typeof value === 'string') return most - value.length - 2;
  if (value instanceof ExactNumber) return most - value.text.length;
  if (typeof value !== 'object' || value === null) return most - 4;
  let left = most - 2;
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [name, inner] of entries) {
    left = needsMore(inner as Value, left - (typeof name === 'string' ? name.length + 3 : 1));
    if (left < 0) return left;
  }
  return left;
}

interface Variable {
  readonly key: number;
  readonly name: string;
  readonly value: Value;
}

/** Puts a state together from its parts, in any order. */
export class PartsReader {
  readonly #variables: Variable[] = [];
  readonly #many: Many[] = [];
  readonly #reader = new StateReader();

  add(part: string, text: string): void {
    this.addRead(part, parseExact(text) as object);
  }

  /** Adds a part whose text is parsed already. */
  addRead(part: string, read: object): void {
    if (part.startsWith('variable ')) this.#variables.push(read as Variable);
    else if (part.startsWith('collected ')) {
      const { key, value } = read as { key: number; value: Value };
      this.#reader.add('collected', key, value);
    } else this.#many.push(read);
  }

  /** Returns the state. `head` comes from {@link headOf}. */
  state(head: StateHead): State {
    const large = Map.groupBy(this.#variables, ({ key }) => key);
    for (const many of this.#many) {
      for (const name of collections) {
        for (const [key, value] of Object.entries(many[name] ?? {}))
          this.#reader.add(
            name,
            Number(key),
            (name === 'elements' ? withLarge(value, large.get(Number(key))) : value) as never,
          );
      }
    }
    return this.#reader.state(headOf(head));
  }
}

function withLarge(element: unknown, large: readonly Variable[] = []): unknown {
  if (large.length === 0) return element;
  const { variables, ...rest } = element as { variables: object };
  return { ...rest, variables: { ...variables, ...Object.fromEntries(large.map(({ name, value }) => [name, value])) } };
}
