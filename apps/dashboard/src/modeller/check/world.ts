import {
  jsonText,
  resultOf,
  rootOf,
  start,
  statusOf,
  step,
  variablesAt,
  type Effect,
  type Event,
  type ProcessGraph,
  type State,
  type StepResult,
  type Variables,
} from '@kethub/workflow';
import { keyIn, notedOf } from './noted.ts';
import type { Noted, Rehearsed, RehearsedIncident, RehearsedScope, Waiting } from './protocol.ts';

/** Instances that one rehearsal may have: a process that calls itself without end stops here. */
const MOST_INSTANCES = 200;
/** Scopes whose variables are shown. Further ones are left out. */
const MOST_SCOPES = 200;

interface Caller {
  readonly instance: number;
  /** Its number for the instance that it has called. */
  readonly child: number;
}

interface Running {
  readonly state: State;
  /** Null for the instance that the rehearsal began with. */
  readonly caller: Caller | null;
}

interface Published {
  readonly name: string;
  readonly correlationKey: string;
  readonly variables: Variables;
}

/**
 * The instances of a rehearsal with all that they wait for, at one moment. States are immutable, so a copy costs little:
 * it is what a step goes back to.
 */
export class World {
  readonly #graph: ProcessGraph;
  #instances = new Map<number, Running>();
  #waiting = new Map<string, Waiting>();
  #journal: readonly Noted[] = [];
  /** Calls of each element so far. */
  #calls = new Map<string, number>();
  /** Messages that were thrown while nobody waited for them. */
  #published: readonly Published[] = [];
  /** Milliseconds since 1970 in the rehearsal; a timer that is let be due moves it on. */
  #now: number;

  private constructor(graph: ProcessGraph, now: number) {
    this.#graph = graph;
    this.#now = now;
  }

  static begin(graph: ProcessGraph, variables: Variables, secrets: readonly string[], now: number): World {
    const world = new World(graph, now);
    world.#take(0, null, start(graph, { variables, secrets, seed: 'rehearsal' }, { now }));
    return world;
  }

  copy(): World {
    const next = new World(this.#graph, this.#now);
    next.#instances = new Map(this.#instances);
    next.#waiting = new Map(this.#waiting);
    next.#calls = new Map(this.#calls);
    next.#journal = this.#journal;
    next.#published = this.#published;
    return next;
  }

  waitingAt(key: string): Waiting | undefined {
    return this.#waiting.get(key);
  }

  /** Applies an event to the instance of something that it waits for. */
  happen(key: string, event: Event): void {
    if (event.type === 'jobSucceeded' || event.type === 'jobFailed') this.#waiting.delete(key);
    this.#step(instanceOf(key), event);
  }

  due(key: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting?.kind !== 'timer') return;
    this.#now = Math.max(this.#now, waiting.due);
    this.#step(instanceOf(key), { type: 'timerDue', timer: waiting.id });
  }

  /** Tries what has an incident again, after these variables were corrected. */
  retry(key: string, variables: Variables): void {
    const instance = instanceOf(key);
    const incident = Number(key.split(' ')[2]);
    const element = this.#instances.get(instance)?.state.incidents.get(incident)?.element;
    if (element === undefined) return;
    if (Object.keys(variables).length > 0) this.#step(instance, { type: 'setVariables', scope: element, variables });
    this.#step(instance, { type: 'resolveIncident', incident });
  }

  #step(instance: number, event: Event): void {
    const running = this.#instances.get(instance);
    if (running === undefined) return;
    const done = step(this.#graph, running.state, event, { now: this.#now });
    if (done.changed) this.#take(instance, running.caller, done);
  }

  #take(instance: number, caller: Caller | null, { state, effects, journal }: StepResult): void {
    this.#instances.set(instance, { state, caller });
    const from = this.#journal.length + 1;
    this.#journal = [...this.#journal, ...journal.map((entry, at) => notedOf(entry, instance, from + at))];
    for (const effect of effects) this.#apply(instance, caller, effect);
    for (const [key, one] of this.#waiting) if (this.#isOver(key, one)) this.#waiting.delete(key);
  }

  #isOver(key: string, one: Waiting): boolean {
    const state = this.#instances.get(instanceOf(key))?.state;
    if (state === undefined) return true;
    if (one.kind === 'timer') return !state.timers.has(one.id);
    return one.kind === 'job' ? !state.index.jobs.has(one.id) : !state.subscriptions.has(one.id);
  }

  #apply(instance: number, caller: Caller | null, effect: Effect): void {
    switch (effect.type) {
      case 'startJob': {
        const { job: id, elementId, input, service } = effect;
        const nth = this.#calls.get(elementId) ?? 0;
        this.#calls.set(elementId, nth + 1);
        const { serviceId, serviceVersion } = service;
        this.#wait({ kind: 'job', instance, id, elementId, input: jsonText(input), serviceId, serviceVersion, nth });
        break;
      }
      case 'setTimer':
        this.#wait({ kind: 'timer', instance, id: effect.timer, elementId: effect.elementId, due: effect.due });
        break;
      case 'openSubscription': {
        const { subscription: id, elementId, messageName: name, correlationKey } = effect;
        this.#receive({ kind: 'message', instance, id, elementId, name, correlationKey });
        break;
      }
      case 'openSignalSubscription': {
        const { subscription: id, elementId, signalName: name } = effect;
        this.#wait({ kind: 'signal', instance, id, elementId, name, correlationKey: '' });
        break;
      }
      case 'publishMessage':
        this.#publish({ ...effect, name: effect.messageName });
        break;
      case 'broadcastSignal':
        this.#broadcast(instance, effect);
        break;
      case 'startChild':
        this.#startChild(instance, effect);
        break;
      case 'cancelChild':
        for (const [number, { caller: by }] of this.#instances)
          if (by?.instance === instance && by.child === effect.child) this.#step(number, { type: 'cancel' });
        break;
      case 'incidentsChanged':
        if (caller) this.#step(caller.instance, { type: 'childIncidents', child: caller.child, errors: effect.errors });
        break;
      case 'finished':
        if (caller) this.#step(caller.instance, { type: 'childEnded', child: caller.child, outcome: effect.outcome });
        break;
      default:
    }
  }

  #wait(waiting: Unkeyed): void {
    const { instance, kind, id, ...rest } = waiting;
    const key = `${instance} ${kind} ${id}`;
    this.#waiting.set(key, { key, kind, id, ...rest } as Waiting);
  }

  /** Waits for a message, unless one that fits was thrown before. */
  #receive(waiting: Unkeyed & { readonly kind: 'message' }): void {
    this.#wait(waiting);
    const { instance, id: subscription, name, correlationKey } = waiting;
    const found = this.#published.find((one) => one.name === name && one.correlationKey === correlationKey);
    if (found === undefined) return;
    this.#published = this.#published.filter((one) => one !== found);
    this.#step(instance, { type: 'messageCorrelated', subscription, variables: found.variables });
  }

  #publish({ name, correlationKey, variables }: Published): void {
    const found = [...this.#waiting.values()].find(
      (one) => one.kind === 'message' && one.name === name && one.correlationKey === correlationKey,
    );
    if (found === undefined) this.#published = [...this.#published, { name, correlationKey, variables }];
    else this.happen(found.key, { type: 'messageCorrelated', subscription: found.id, variables });
  }

  #broadcast(from: number, { signal, signalName, variables }: Extract<Effect, { type: 'broadcastSignal' }>): void {
    const reached = [...this.#waiting.values()].filter(
      (one) => one.kind === 'signal' && one.name === signalName && (instanceOf(one.key) !== from || one.id < signal),
    );
    for (const { key, id } of reached) this.happen(key, { type: 'signalReceived', subscription: id, variables });
  }

  #startChild(instance: number, effect: Extract<Effect, { type: 'startChild' }>): void {
    const { child, processId, variables, secrets, caughtOutside } = effect;
    const number = this.#instances.size;
    const why = !this.#graph.processes.has(processId)
      ? `The file has no process ${processId}.`
      : number >= MOST_INSTANCES
        ? `A rehearsal has at most ${MOST_INSTANCES} processes that call one another.`
        : null;
    if (why !== null)
      return this.#step(instance, { type: 'childEnded', child, outcome: { type: 'notStarted', message: why } });
    const request = { processId, variables, secrets, caughtOutside, seed: `rehearsal ${number}` };
    return this.#take(number, { instance, child }, start(this.#graph, request, { now: this.#now }));
  }

  get snapshot(): Omit<Rehearsed, 'steps' | 'later'> {
    const state = this.#instances.get(0)?.state;
    if (state === undefined) throw new Error('A rehearsal begins with an instance');
    const result = resultOf(state);
    const instances = [...this.#instances];
    return {
      status: statusOf(state),
      now: this.#now,
      journal: this.#journal,
      waiting: [...this.#waiting.values()],
      incidents: instances.flatMap(([instance, running]) => incidentsOf(instance, running)),
      scopes: instances.flatMap(([instance, running]) => scopesOf(instance, running)).slice(0, MOST_SCOPES),
      result: result === null ? null : jsonText(result),
    };
  }
}

type Unkeyed = Waiting extends infer One
  ? One extends Waiting
    ? Omit<One, 'key'> & { readonly instance: number }
    : never
  : never;

const instanceOf = (key: string): number => Number(key.split(' ')[0]);

function incidentsOf(instance: number, { state }: Running): RehearsedIncident[] {
  return [...state.incidents.values()].map(({ incident, elementId, element, error }) => ({
    key: `${instance} incident ${incident}`,
    elementId,
    message: error.message,
    code: error.errorCode,
    variables: jsonText(variablesAt(state, element)),
  }));
}

/** The process, and the elements in it that have variables of their own. A process that has ended shows its last ones. */
function scopesOf(instance: number, { state }: Running): RehearsedScope[] {
  const root = rootOf(state);
  const { finalVariables } = state;
  if (root === undefined && finalVariables)
    return [{ key: keyIn(instance, 0), elementId: state.processId, round: null, variables: jsonText(finalVariables) }];
  return [...state.elements.values()]
    .filter(({ key, variables }) => key === root || Object.keys(variables).length > 0)
    .map(({ key, elementId, variables, loopCounter }) => ({
      key: keyIn(instance, key),
      elementId,
      round: loopCounter ?? null,
      variables: jsonText(variables),
    }));
}
