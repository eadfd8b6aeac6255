import type { Node, Process, ProcessGraph } from '../graph.ts';
import { limits } from './limits.ts';
import { Runaway } from './failure.ts';
import type {
  Effect,
  ElementInstance,
  Env,
  ErrorEnvelope,
  Event,
  IncidentType,
  JournalEntry,
  OpenSubscription,
  OpenTimer,
  State,
  StepResult,
  Value,
  Variables,
} from '../types.ts';

/** What is to be done within the step, in order. */
export type Command =
  /** A token arrives at a node. */
  | { readonly do: 'enter'; readonly scope: number; readonly node: string; readonly flow: string }
  /** The next instance of a multi-instance body, and its item. */
  | { readonly do: 'instance'; readonly body: number; readonly index: number; readonly item: Value }
  /** A sequential body takes its next item. */
  | { readonly do: 'next'; readonly body: number }
  | { readonly do: 'activate'; readonly element: number }
  | { readonly do: 'complete'; readonly element: number }
  /** A gateway is left along these flows. */
  | { readonly do: 'leave'; readonly element: number; readonly flows: readonly string[] };

type Entry = JournalEntry extends infer E ? (E extends JournalEntry ? Omit<E, 'seq' | 'at'> : never) : never;

/**
 * One step: a draft of the next state, what follows from it outside, and what is still to be done. Copies what it
 * changes, so that the state before stays as it was.
 */
export class Machine {
  readonly process: Process;
  /** All of the file. */
  readonly processes: ProcessGraph['processes'];
  readonly state: State;
  readonly env: Env;
  readonly effects: Effect[] = [];
  readonly journal: JournalEntry[] = [];
  transitions = 0;
  /** The list of errors that the instance shows has changed. */
  errorsChanged = false;
  readonly #queue: Command[] = [];
  #next = 0;
  /** Scopes in which something has moved: they may be complete, or a join in them may fire. */
  readonly #moved = new Set<number>();
  readonly #copied = new Set<number>();
  /** Found when first needed: keys of the elements in a scope, and of what an element waits for. */
  #children: Map<number, Set<number>> | null = null;
  #waits: Map<number, Set<number>> | null = null;

  constructor(graph: ProcessGraph, state: State, event: Event, env: Env) {
    const process = graph.processes.get(state.processId);
    if (process === undefined) throw new Error(`The graph has no process ${state.processId}`);
    this.process = process;
    this.processes = graph.processes;
    this.env = env;
    this.state = {
      ...state,
      elements: { ...state.elements },
      timers: { ...state.timers },
      subscriptions: { ...state.subscriptions },
      incidents: [...state.incidents],
    };
    this.note({ type: 'event', event });
  }

  result(): StepResult {
    return { state: this.state, effects: this.effects, journal: this.journal, changed: true };
  }

  // ---- What is to be done

  /** Throws Runaway. */
  push(command: Command): void {
    if (this.#queue.length - this.#next >= limits.pending) {
      const message = `The workflow would run more than ${limits.pending} elements at once. Are there loops in loops, or a parallel gateway in a loop?`;
      throw new Runaway(this.#elementOf(command), message);
    }
    this.#queue.push(command);
  }

  #elementOf(command: Command): string {
    if (command.do === 'enter') return command.node;
    return this.get('body' in command ? command.body : command.element).elementId;
  }

  nextCommand(): Command | undefined {
    const command = this.#queue[this.#next++];
    if (command !== undefined) return command;
    this.#queue.length = 0;
    this.#next = 0;
    return undefined;
  }

  moved(scope: number): void {
    this.#moved.add(scope);
  }

  nextMoved(): number | undefined {
    for (const scope of this.#moved) {
      this.#moved.delete(scope);
      return scope;
    }
    return undefined;
  }

  // ---- Elements

  node(id: string): Node {
    const node = this.process.nodes.get(id);
    if (node === undefined) throw new Error(`The process ${this.process.id} has no element ${id}`);
    return node;
  }

  find(key: number): Readonly<ElementInstance> | undefined {
    return this.state.elements[key];
  }

  get(key: number): Readonly<ElementInstance> {
    const element = this.find(key);
    if (element === undefined) throw new Error(`There is no element instance ${key}`);
    return element;
  }

  /** The element to be changed. */
  edit(key: number): ElementInstance {
    const element = this.get(key) as ElementInstance;
    if (this.#copied.has(key)) return element;
    const copy = { ...element };
    this.state.elements[key] = copy;
    this.#copied.add(key);
    return copy;
  }

  create(elementId: string, scope: number, own: Partial<ElementInstance> = {}): ElementInstance {
    const key = this.newKey();
    const element: ElementInstance = { key, elementId, scope, phase: 'ACTIVATING', variables: {}, ...own };
    this.state.elements[key] = element;
    this.#copied.add(key);
    addTo(this.#index(), scope, key);
    this.note({ type: 'activated', elementId, element: key, scope });
    return element;
  }

  /** Takes an element out that has ended. */
  remove(element: Readonly<ElementInstance>, how: 'completed' | 'terminated'): void {
    const { key, elementId, scope } = element;
    delete this.state.elements[key];
    this.#index().get(scope)?.delete(key);
    this.note({ type: how, elementId, element: key, scope });
    this.moved(scope);
  }

  /** Keys of the elements directly in a scope, oldest first. */
  children(scope: number): readonly number[] {
    return [...(this.#index().get(scope) ?? [])];
  }

  hasChildren(scope: number): boolean {
    return (this.#index().get(scope)?.size ?? 0) > 0;
  }

  #index(): Map<number, Set<number>> {
    if (this.#children !== null) return this.#children;
    const index = new Map<number, Set<number>>();
    for (const element of Object.values(this.state.elements)) addTo(index, element.scope, element.key);
    this.#children = index;
    return index;
  }

  newKey(): number {
    return this.state.nextKey++;
  }

  // ---- Timers and subscriptions

  setTimer(own: Omit<OpenTimer, 'timer'>): void {
    const timer = { timer: this.newKey(), ...own };
    this.state.timers[timer.timer] = timer;
    addTo(this.#waitIndex(), own.element, timer.timer);
    this.effects.push({ type: 'setTimer', timer: timer.timer, elementId: own.elementId, due: own.due });
  }

  openSubscription(own: Omit<OpenSubscription, 'subscription'>): void {
    const subscription = this.newKey();
    this.state.subscriptions[subscription] = { subscription, ...own };
    addTo(this.#waitIndex(), own.element, subscription);
    const { elementId, messageName, correlationKey } = own;
    this.effects.push({ type: 'openSubscription', subscription, elementId, messageName, correlationKey });
  }

  /** Takes out a timer that is due. */
  timerDue({ timer, element }: OpenTimer): void {
    delete this.state.timers[timer];
    this.#waitIndex().get(element)?.delete(timer);
  }

  closeSubscription({ subscription, element }: OpenSubscription): void {
    delete this.state.subscriptions[subscription];
    this.#waitIndex().get(element)?.delete(subscription);
    this.effects.push({ type: 'closeSubscription', subscription });
  }

  /** Nothing that was opened for an element can trigger any more. */
  closeWaits(element: number): void {
    for (const key of this.#waitIndex().get(element) ?? []) {
      const subscription = this.state.subscriptions[key];
      if (subscription !== undefined) this.closeSubscription(subscription);
      else {
        delete this.state.timers[key];
        this.effects.push({ type: 'cancelTimer', timer: key });
      }
    }
    this.#waitIndex().delete(element);
  }

  /** The events that an element waits for. */
  waitsOf(element: number): ReadonlySet<string> {
    const keys = [...(this.#waitIndex().get(element) ?? [])];
    return new Set(keys.map((key) => (this.state.timers[key] ?? this.state.subscriptions[key])?.elementId ?? ''));
  }

  #waitIndex(): Map<number, Set<number>> {
    if (this.#waits !== null) return this.#waits;
    const index = new Map<number, Set<number>>();
    for (const { timer, element } of Object.values(this.state.timers)) addTo(index, element, timer);
    for (const { subscription, element } of Object.values(this.state.subscriptions))
      addTo(index, element, subscription);
    this.#waits = index;
    return index;
  }

  // ---- Incidents, journal

  incident(element: Readonly<ElementInstance>, type: IncidentType, error: ErrorEnvelope): void {
    const incident = {
      incident: this.newKey(),
      type,
      elementId: error.failedElement,
      element: element.key,
      at: this.env.now,
      error,
    };
    this.state.incidents.push(incident);
    this.errorsChanged = true;
    this.note({ type: 'incident', incident });
  }

  resolveIncidents(which: (incident: State['incidents'][number]) => boolean): void {
    const resolved = this.state.incidents.filter(which);
    if (resolved.length === 0) return;
    this.state.incidents = this.state.incidents.filter((incident) => !which(incident));
    this.errorsChanged = true;
    for (const { incident, elementId } of resolved) this.note({ type: 'resolved', incident, elementId });
  }

  note(entry: Entry): void {
    this.state.seq++;
    this.journal.push({ seq: this.state.seq, at: this.env.now, ...entry });
  }

  setVariables(key: number, variables: Variables): void {
    const element = this.edit(key);
    element.variables = { ...element.variables, ...variables };
  }
}

function addTo(index: Map<number, Set<number>>, owner: number, key: number): void {
  const keys = index.get(owner);
  if (keys === undefined) index.set(owner, new Set([key]));
  else keys.add(key);
}
