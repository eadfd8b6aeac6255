import type { ElementInstance, StateCollections, StateHead } from '../types.ts';
import { NumberMap } from './number-map.ts';

/**
 * An instance in memory. It is immutable: a step makes another state, which shares everything unchanged, so that the
 * cost does not depend on how much is open.
 *
 * Elements, timers, subscriptions, incidents and collected outputs of loops have numbers of one sequence (`nextKey`).
 */
export type State = StateHead & {
  [C in keyof StateCollections]: NumberMap<StateCollections[C]>;
} & {
  /** Derived from everything else; not stored. */
  index: StateIndex;
};

/** Indexes of a state. */
interface StateIndex {
  /** The content directly in a scope. */
  readonly content: NumberMap<ScopeContent>;
  /** Timers and subscriptions of an element. */
  readonly waits: NumberMap<NumberMap<true>>;
  /** Incidents of an element. */
  readonly incidents: NumberMap<NumberMap<true>>;
  /** The element that waits for a job or a child. */
  readonly jobs: NumberMap<number>;
  readonly called: NumberMap<number>;
  /** Elements whose children have errors. */
  readonly failing: NumberMap<true>;
}

export interface ScopeContent {
  /** Keys, oldest first. */
  readonly keys: NumberMap<true>;
  /** Number of instances of each element that has any. */
  readonly counts: ReadonlyMap<string, number>;
}

const NOTHING: ScopeContent = { keys: NumberMap.empty(), counts: new Map() };

const emptyIndex: StateIndex = {
  content: NumberMap.empty(),
  waits: NumberMap.empty(),
  incidents: NumberMap.empty(),
  jobs: NumberMap.empty(),
  called: NumberMap.empty(),
  failing: NumberMap.empty(),
};

export function emptyState(head: StateHead): State {
  return {
    ...head,
    elements: NumberMap.empty(),
    timers: NumberMap.empty(),
    subscriptions: NumberMap.empty(),
    incidents: NumberMap.empty(),
    collected: NumberMap.empty(),
    queue: NumberMap.empty(),
    moved: NumberMap.empty(),
    index: emptyIndex,
  };
}

export const contentOf = ({ index }: State, scope: number): ScopeContent => index.content.get(scope) ?? NOTHING;

/** The element instance of the process; undefined when it has ended. */
export const rootOf = (state: State): number | undefined => contentOf(state, 0).keys.first();

export function withElement(index: StateIndex, element: Readonly<ElementInstance>): StateIndex {
  const { key, elementId, scope, job, child, childErrors = [] } = element;
  const { keys, counts } = index.content.get(scope) ?? NOTHING;
  const more = new Map(counts).set(elementId, (counts.get(elementId) ?? 0) + 1);
  return {
    ...index,
    content: index.content.set(scope, { keys: keys.set(key, true), counts: more }),
    ...(job !== undefined && { jobs: index.jobs.set(job, key) }),
    ...(child !== undefined && { called: index.called.set(child, key) }),
    ...(childErrors.length > 0 && { failing: index.failing.set(key, true) }),
  };
}

export function withoutElement(index: StateIndex, element: Readonly<ElementInstance>): StateIndex {
  const { key, elementId, scope, job, child } = element;
  const { keys, counts } = index.content.get(scope) ?? NOTHING;
  const left = new Map(counts);
  const count = (counts.get(elementId) ?? 0) - 1;
  if (count > 0) left.set(elementId, count);
  else left.delete(elementId);
  const remaining = keys.delete(key);
  return {
    ...index,
    content:
      remaining.size > 0 ? index.content.set(scope, { keys: remaining, counts: left }) : index.content.delete(scope),
    jobs: job === undefined ? index.jobs : index.jobs.delete(job),
    called: child === undefined ? index.called : index.called.delete(child),
    failing: index.failing.delete(key),
  };
}

type Owned = 'waits' | 'incidents';

export function withOwned(index: StateIndex, what: Owned, owner: number, key: number): StateIndex {
  const owned = (index[what].get(owner) ?? NumberMap.empty<true>()).set(key, true);
  return { ...index, [what]: index[what].set(owner, owned) };
}

export function withoutOwned(index: StateIndex, what: Owned, owner: number, key: number): StateIndex {
  const owned = (index[what].get(owner) ?? NumberMap.empty<true>()).delete(key);
  return { ...index, [what]: owned.size > 0 ? index[what].set(owner, owned) : index[what].delete(owner) };
}
