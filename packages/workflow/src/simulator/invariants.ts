import { parseExact } from '@kethub/feel';
import { isDeepStrictEqual } from 'node:util';
import { fromStored, toStored } from '../state/stored.ts';
import type { State } from '../state/state.ts';
import type { Effect, JournalEntry, StoredState } from '../types.ts';

/** Everything open outside of the instance, according to its effects. */
export class Outside {
  readonly jobs = new Map<number, string>();
  readonly timers = new Map<number, number>();
  readonly subscriptions = new Set<number>();
  readonly children = new Set<number>();

  /** Effects may come twice: the second time changes nothing. What has been answered does not open again. */
  readonly #known = new Set<number>();

  take(effect: Effect): void {
    switch (effect.type) {
      case 'startJob':
        if (this.#isNew(effect.job)) this.jobs.set(effect.job, effect.elementId);
        break;
      case 'setTimer':
        if (this.#isNew(effect.timer)) this.timers.set(effect.timer, effect.due);
        break;
      case 'openSubscription':
      case 'openSignalSubscription':
        if (this.#isNew(effect.subscription)) this.subscriptions.add(effect.subscription);
        break;
      case 'startChild':
        if (this.#isNew(effect.child)) this.children.add(effect.child);
        break;
      case 'cancelJob':
        this.jobs.delete(effect.job);
        break;
      case 'cancelTimer':
        this.timers.delete(effect.timer);
        break;
      case 'closeSubscription':
      case 'closeSignalSubscription':
        this.subscriptions.delete(effect.subscription);
        break;
      case 'cancelChild':
        this.children.delete(effect.child);
        break;
      default:
    }
  }

  #isNew(key: number): boolean {
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    return true;
  }
}

/** A replay of the journal: which elements are alive, and how many tokens have come to and gone from joins. */
export class Replay {
  readonly alive = new Map<number, { readonly elementId: string; readonly scope: number }>();
  readonly taken = new Map<string, number>();
  readonly fired = new Map<string, number>();
  seq = 0;

  take(entry: JournalEntry): void {
    expect(entry.seq === ++this.seq, `the journal has no gaps, and ${entry.seq} comes after ${this.seq - 1}`);
    switch (entry.type) {
      case 'activated':
        expect(
          entry.scope === 0 || this.alive.has(entry.scope),
          `${entry.elementId} is activated in a scope that is alive`,
        );
        this.alive.set(entry.element, entry);
        count(this.fired, `${entry.scope} ${entry.elementId}`);
        break;
      case 'completed':
      case 'terminated':
        for (const { scope, elementId } of this.alive.values()) {
          expect(
            scope !== entry.element,
            `${entry.elementId} is ${entry.type} when it is empty, and ${elementId} is in it`,
          );
        }
        expect(this.alive.delete(entry.element), `${entry.elementId} is ${entry.type} once`);
        break;
      case 'taken':
        count(this.taken, `${entry.scope} ${entry.flowId}`);
        break;
      default:
    }
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Checks the invariants after a step. */
export function checkState(state: State, outside: Outside, replay: Replay): void {
  const elements = [...state.elements.values()];
  same(
    new Set(elements.map(({ key }) => key)),
    new Set(replay.alive.keys()),
    'elements of the state and of the journal',
  );
  same(new Set(elements.flatMap(({ job }) => job ?? [])), new Set(outside.jobs.keys()), 'jobs');
  same(new Set(elements.flatMap(({ child }) => child ?? [])), outside.children, 'children');
  same(new Set(state.timers.keys()), new Set(outside.timers.keys()), 'timers');
  same(new Set(state.subscriptions.keys()), outside.subscriptions, 'subscriptions');
  expect(state.seq === replay.seq, 'the state knows the last entry of the journal');
  const read = fromStored(parseExact(JSON.stringify(toStored(state))) as unknown as StoredState);
  expect(isDeepStrictEqual(indexOf(state), indexOf(read)), 'the index is what follows from the state');
  if (state.work !== null) return;
  expect(state.queue.size + state.moved.size === 0, 'nothing is left to do');
  const loops = elements.flatMap(({ loop }) => loop ?? []);
  const kept = loops.reduce((sum, { output, size }) => sum + (output === null ? 0 : size), 0);
  expect(state.collected.size <= kept, 'what no loop collects is not kept');
  expect(
    (state.phase === 'RUNNING') === elements.length > 0,
    `a state in phase ${state.phase} has ${elements.length} elements`,
  );
  const scopes = new Set(elements.map(({ scope }) => scope));
  const waiting = new Set([
    ...[...state.timers.values()].map(({ element }) => element),
    ...[...state.subscriptions.values()].map(({ element }) => element),
    ...[...state.incidents.values()].map(({ element }) => element),
  ]);
  for (const { key, elementId, scope, job, child } of elements) {
    expect(scope === 0 || state.elements.has(scope), `the scope of ${elementId} is alive`);
    const goesOn = scopes.has(key) || job !== undefined || child !== undefined || waiting.has(key);
    expect(goesOn, `${elementId} waits for something`);
    const goesOnInScope = state.elements.get(scope)?.interrupted !== true || elementId.startsWith('esp');
    expect(goesOnInScope, `${elementId} is not in a scope that was interrupted`);
  }
  for (const { element, elementId, type } of state.incidents.values()) {
    expect(type !== 'DEADLOCK', `a token can come to every flow of ${elementId}`);
    expect(state.elements.has(element), `the element of the incident of ${elementId} is alive`);
  }
}

function indexOf({ index }: State): unknown {
  const { content, waits, incidents, jobs, called, failing } = index;
  return {
    content: [...content].map(([scope, { keys, counts }]) => [
      scope,
      [...keys.keys()],
      [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ]),
    owned: [waits, incidents].map((owned) => [...owned].map(([owner, keys]) => [owner, [...keys.keys()]])),
    others: [jobs, called, failing].map((each) => [...each]),
  };
}

/** An inclusive join fires at most as often as the gateway before it, which has split the tokens that it joins. */
export function checkInclusiveJoins({ fired }: Replay): void {
  for (const [key, count] of fired) {
    if (!/ inclusive\d+Join$/.test(key)) continue;
    const split = fired.get(key.replace(/Join$/, '')) ?? 0;
    expect(count <= split, `${key} has fired ${count} times, and what it joins was split ${split} times`);
  }
}

/** Every join of a process that ended by itself has taken one token per flow each time that it fired. */
export function checkJoins(
  replay: Replay,
  joins: readonly { readonly id: string; readonly incoming: readonly string[] }[],
  scope: number,
): void {
  for (const { id, incoming } of joins) {
    const fired = replay.fired.get(`${scope} ${id}`) ?? 0;
    for (const flow of incoming) {
      const taken = replay.taken.get(`${scope} ${flow}`) ?? 0;
      expect(taken === fired, `${id} has fired ${fired} times, and ${taken} tokens came along ${flow}`);
    }
  }
}

function same(found: ReadonlySet<number>, expected: ReadonlySet<number>, what: string): void {
  const list = (set: ReadonlySet<number>) => [...set].sort((a, b) => a - b).join(' ');
  expect(list(found) === list(expected), `${what}: ${list(found)} in the state, ${list(expected)} outside`);
}

export function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`Broken: ${what}`);
}
