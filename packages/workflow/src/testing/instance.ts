import { parseExact } from '@kethub/feel';
import { parse } from '../parse.ts';
import { rebuild } from '../engine/journal.ts';
import { resume, start, step } from '../engine/step.ts';
import type { ProcessGraph } from '../graph.ts';
import type { State } from '../state/state.ts';
import { fromStored, toStored } from '../state/stored.ts';
import type { StepResult } from '../engine/step-result.ts';
import type { Effect, Event, Incident, JournalEntry, StartRequest, StoredState, Value, Variables } from '../types.ts';

/** The graph of a file that has to be accepted. */
export async function accepted(xml: string): Promise<ProcessGraph> {
  const result = await parse(xml);
  if ('graph' in result) return result.graph;
  throw new Error(
    `Refused:\n${result.problems.map(({ elementId, message }) => `${elementId}: ${message}`).join('\n')}`,
  );
}

/** `CODE element` of every problem of a file. */
export async function refusals(xml: string | Uint8Array): Promise<string[]> {
  const result = await parse(xml);
  return 'graph' in result ? [] : result.problems.map(({ code, elementId }) => `${code} ${elementId ?? '-'}`);
}

type PlainState = Omit<StoredState, 'incidents'> & { readonly incidents: readonly Incident[] };

const plainOf = (state: State): PlainState => ({ ...toStored(state), incidents: [...state.incidents.values()] });

/** As a database gives it back. */
export const stored = (state: State): State =>
  fromStored(parseExact(JSON.stringify(toStored(state))) as unknown as StoredState);

/** An instance in memory, whose state goes through JSON before every step, as it does in a database. */
export class Instance {
  live: State;
  effects: Effect[] = [];
  readonly journal: JournalEntry[] = [];
  now = Date.parse('2030-01-01T00:00:00Z');
  readonly #graph: ProcessGraph;

  constructor(graph: ProcessGraph, variables: Variables = {}, request: Partial<StartRequest> = {}) {
    this.#graph = graph;
    const result = start(graph, { seed: 'seed', ...request, variables }, { now: this.now });
    this.live = result.state;
    this.#take(result);
  }

  apply(event: Event): StepResult {
    const result = step(this.#graph, stored(this.live), event, { now: this.now });
    this.#take(result);
    return result;
  }

  /** The state after a step that was paused goes on. */
  resume(state: State): State {
    return resume(this.#graph, stored(state), { now: this.now }).state;
  }

  #take({ state, effects, journal }: StepResult): void {
    this.live = state;
    this.effects = [...effects];
    for (const entry of journal) this.journal.push(entry);
  }

  /** The state as plain JSON, with a list of its incidents. */
  get state(): PlainState {
    return plainOf(this.live);
  }

  rebuilt(): PlainState | null {
    const state = rebuild(this.#graph, parseExact(JSON.stringify(this.journal)) as unknown as JournalEntry[]);
    return state && plainOf(state);
  }

  /**
   * Ids of the elements that are being executed, without the process; more than once when it is more than one instance.
   */
  get active(): string[] {
    return Object.values(this.state.elements)
      .filter(({ scope }) => scope !== 0)
      .map(({ elementId }) => elementId);
  }

  /** Ids of the elements that have completed, in order. */
  get completed(): string[] {
    return this.journal.flatMap((entry) => (entry.type === 'completed' ? [entry.elementId] : []));
  }

  get variables(): Variables {
    return Object.values(this.state.elements).find(({ scope }) => scope === 0)?.variables ?? {};
  }

  key(elementId: string): number {
    const element = Object.values(this.state.elements).find(
      (each) => each.elementId === elementId && each.loop === undefined,
    );
    if (element === undefined) throw new Error(`${elementId} is not being executed`);
    return element.key;
  }

  job(elementId: string): number {
    const job = Object.values(this.state.elements).find(
      (each) => each.elementId === elementId && each.job !== undefined,
    )?.job;
    if (job === undefined) throw new Error(`${elementId} has no job`);
    return job;
  }

  succeed(elementId: string, result: Value = {}): StepResult {
    return this.apply({ type: 'jobSucceeded', job: this.job(elementId), result });
  }

  fail(elementId: string, response: Value = { detail: 'broken' }): StepResult {
    const ids = { serviceId: 'the service', applicationId: 'the application' };
    return this.apply({ type: 'jobFailed', job: this.job(elementId), ...ids, response });
  }

  /** The timer of an event is due; the clock is then what it was set to. */
  due(elementId: string): StepResult {
    const timer = Object.values(this.state.timers).find((each) => each.elementId === elementId);
    if (timer === undefined) throw new Error(`${elementId} has no timer`);
    this.now = Math.max(this.now, timer.due);
    return this.apply({ type: 'timerDue', timer: timer.timer });
  }

  correlate(elementId: string, variables: Variables = {}): StepResult {
    const open = Object.values(this.state.subscriptions).find((each) => each.elementId === elementId);
    if (open === undefined) throw new Error(`${elementId} has no subscription`);
    const type = 'signalName' in open ? 'signalReceived' : 'messageCorrelated';
    return this.apply({ type, subscription: open.subscription, variables });
  }

  /** Tries again what the (first) incident of an element is about. */
  retry(elementId: string): StepResult {
    const incident = this.state.incidents.find((each) => each.elementId === elementId)?.incident;
    if (incident === undefined) throw new Error(`${elementId} has no incident`);
    return this.apply({ type: 'resolveIncident', incident });
  }

  endChild(elementId: string, outcome: Extract<Event, { type: 'childEnded' }>['outcome']): StepResult {
    return this.apply({ type: 'childEnded', child: this.state.elements[this.key(elementId)]?.child ?? -1, outcome });
  }

  /** The input of the job that an element has just been given. */
  input(elementId: string): Variables {
    const effect = this.effects.find((each) => each.type === 'startJob' && each.elementId === elementId);
    if (effect?.type !== 'startJob') throw new Error(`${elementId} was not started`);
    return effect.input;
  }
}
