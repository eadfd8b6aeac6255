import type { Node, Process, ProcessGraph } from '../graph.ts';
import {
  contentOf,
  withElement,
  withoutElement,
  withOwned,
  withoutOwned,
  type ScopeContent,
  type State,
} from '../state/state.ts';
import { Commands } from './commands.ts';
import { Runaway } from './failure.ts';
import { limits } from './limits.ts';
import { isSameValue } from './same-value.ts';
import type { StepResult } from './step-result.ts';
import type {
  Command,
  Effect,
  ElementInstance,
  Env,
  ErrorEnvelope,
  IncidentType,
  JournalEntry,
  Loop,
  OpenSubscription,
  OpenTimer,
  SubscribedTo,
  UrgentCommand,
  Variables,
} from '../types.ts';

/** Characters of an expression or message in a warning. The rest is cut off. */
const WARNING_CHARACTERS = 200;

/** A subscription that has no number yet. */
export type NewSubscription = Pick<OpenSubscription, 'element' | 'elementId'> & SubscribedTo;

type Entry = JournalEntry extends infer E ? (E extends JournalEntry ? Omit<E, 'seq' | 'at'> : never) : never;

/**
 * One step, or a part of it: a draft of the next state, its effects, and the commands that are left. Every operation
 * costs the same however much is open in the instance.
 */
export class Machine {
  readonly process: Process;
  /** All processes of the file. */
  readonly processes: ProcessGraph['processes'];
  readonly state: State;
  readonly env: Env;
  readonly effects: Effect[] = [];
  readonly journal: JournalEntry[] = [];
  transitions: number;
  /** Number of commands done. */
  done: number;
  /** The element that a command works on. */
  acting: Readonly<ElementInstance> | null = null;
  /** True if the errors in the result have changed. */
  errorsChanged: boolean;
  readonly #commands: Commands;
  /** Elements that this machine has copied, and may change. */
  readonly #copied = new Set<number>();

  /** Continues a paused step, if there is one. */
  constructor(graph: ProcessGraph, state: State, env: Env) {
    const process = graph.processes.get(state.processId);
    if (process === undefined) throw new Error(`The graph has no process ${state.processId}`);
    const { work } = state;
    this.process = process;
    this.processes = graph.processes;
    this.state = { ...state, work: null };
    this.env = work === null ? env : { ...env, now: work.now };
    this.transitions = work?.transitions ?? 0;
    this.done = work?.done ?? 0;
    this.errorsChanged = work?.errorsChanged ?? false;
    this.#commands = new Commands(this.state, work);
  }

  result(): StepResult {
    return { state: this.state, effects: this.effects, journal: this.journal, changed: true };
  }

  /** Pauses the step; `resume` continues it. */
  pause(): void {
    const { done, transitions, errorsChanged } = this;
    this.state.work = { now: this.env.now, done, transitions, errorsChanged, ...this.#commands.store() };
  }

  // ---- What is to be done

  /** Adds a command. Throws Runaway when the queue is full. */
  push(command: Command): void {
    if (this.#commands.push(command)) return;
    const message = `The workflow would run more than ${limits.pending} elements at once. Are there loops in loops, or a parallel gateway in a loop?`;
    throw new Runaway(this.#elementOf(command), message);
  }

  /** Puts these commands before all others, in this order. */
  pushUrgent(...commands: readonly UrgentCommand[]): void {
    this.#commands.pushUrgent(...commands);
  }

  /** Ends all elements, and drops all other commands. */
  terminateAll(end: Extract<UrgentCommand, { do: 'end' }>): void {
    this.#commands.clear();
    this.pushUrgent({ do: 'terminateIn', scope: 0 }, end);
  }

  #elementOf(command: Command): string {
    if (command.do === 'enter') return command.node;
    const key = 'body' in command ? command.body : 'element' in command ? command.element : 0;
    return this.find(key)?.elementId ?? this.process.id;
  }

  nextCommand(): Command | undefined {
    return this.#commands.next();
  }

  get isDone(): boolean {
    return this.#commands.isEmpty;
  }

  /** Notes that something has moved in a scope: it may be complete, or a join in it may fire. */
  moved(scope: number): void {
    this.state.moved = this.state.moved.set(scope, true);
  }

  nextMoved(): number | undefined {
    const scope = this.state.moved.first();
    if (scope !== undefined) this.state.moved = this.state.moved.delete(scope);
    return scope;
  }

  // ---- Elements

  node(id: string): Node {
    const node = this.process.nodes.get(id);
    if (node === undefined) throw new Error(`The process ${this.process.id} has no element ${id}`);
    return node;
  }

  find(key: number): Readonly<ElementInstance> | undefined {
    return this.state.elements.get(key);
  }

  get(key: number): Readonly<ElementInstance> {
    const element = this.find(key);
    if (element === undefined) throw new Error(`There is no element instance ${key}`);
    return element;
  }

  /** Returns an element to be changed. Its job, child and errors are changed only by the functions for them. */
  edit(key: number): ElementInstance {
    const element = this.get(key) as ElementInstance;
    if (this.#copied.has(key)) return element;
    const copy = { ...element };
    this.state.elements = this.state.elements.set(key, copy);
    this.#copied.add(key);
    return copy;
  }

  create(elementId: string, scope: number, own: Partial<ElementInstance> = {}): ElementInstance {
    const key = this.newKey();
    const element: ElementInstance = { key, elementId, scope, phase: 'ACTIVATING', variables: {}, ...own };
    this.state.elements = this.state.elements.set(key, element);
    this.state.index = withElement(this.state.index, element);
    this.#copied.add(key);
    this.note({ type: 'activated', elementId, element: key, scope });
    return element;
  }

  /** Removes an element that has ended. */
  remove(element: Readonly<ElementInstance>, how: 'completed' | 'terminated'): void {
    const { state } = this;
    const { key, elementId, scope, loop } = element;
    state.elements = state.elements.delete(key);
    state.index = withoutElement(state.index, element);
    if (loop !== undefined) this.#forget(loop);
    if (state.moved.size > 0) state.moved = state.moved.delete(key);
    this.note({ type: how, elementId, element: key, scope });
    if (scope === 0) state.finalVariables = element.variables;
    else this.moved(scope);
  }

  #forget({ output, items, size }: Loop): void {
    const { state } = this;
    if (output !== null) state.collected = state.collected.without(output, output + size);
    if (items !== undefined) state.collected = state.collected.delete(items);
  }

  /** The content directly in a scope. */
  content(scope: number): ScopeContent {
    return contentOf(this.state, scope);
  }

  newKey(): number {
    return this.state.nextKey++;
  }

  /** Reserves consecutive numbers, and returns the first. */
  newKeys(count: number): number {
    const first = this.state.nextKey;
    this.state.nextKey += count;
    return first;
  }

  // ---- What runs outside

  /** Has an element wait for a job. */
  setJob(key: number, job: number): void {
    this.edit(key).job = job;
    this.#index({ jobs: this.state.index.jobs.set(job, key) });
  }

  clearJob(key: number): void {
    const element = this.edit(key);
    if (element.job !== undefined) this.#index({ jobs: this.state.index.jobs.delete(element.job) });
    delete element.job;
    delete element.delayed;
  }

  /** Has an element wait for an instance of another process. */
  setChild(key: number, child: number): void {
    this.edit(key).child = child;
    this.#index({ called: this.state.index.called.set(child, key) });
  }

  clearChild(key: number): void {
    const element = this.edit(key);
    if (element.child !== undefined) this.#index({ called: this.state.index.called.delete(element.child) });
    if (element.childErrors !== undefined) this.setChildErrors(key, []);
    delete element.child;
    delete element.childErrors;
  }

  setChildErrors(key: number, errors: readonly ErrorEnvelope[]): void {
    const { failing } = this.state.index;
    this.edit(key).childErrors = errors;
    this.#index({ failing: errors.length > 0 ? failing.set(key, true) : failing.delete(key) });
    this.errorsChanged = true;
  }

  #index(changed: Partial<State['index']>): void {
    this.state.index = { ...this.state.index, ...changed };
  }

  // ---- Timers and subscriptions

  setTimer(own: Omit<OpenTimer, 'timer'>): void {
    const timer = { timer: this.newKey(), ...own };
    this.state.timers = this.state.timers.set(timer.timer, timer);
    this.state.index = withOwned(this.state.index, 'waits', own.element, timer.timer);
    this.effects.push({ type: 'setTimer', timer: timer.timer, elementId: own.elementId, due: own.due });
  }

  openSubscription({ element, elementId, ...what }: NewSubscription): void {
    const subscription = this.newKey();
    this.state.subscriptions = this.state.subscriptions.set(subscription, {
      subscription,
      element,
      elementId,
      ...what,
    });
    this.state.index = withOwned(this.state.index, 'waits', element, subscription);
    const type = 'signalName' in what ? 'openSignalSubscription' : 'openSubscription';
    this.effects.push({ type, subscription, elementId, ...what } as Effect);
  }

  /** Removes a timer that is due. */
  timerDue({ timer, element }: OpenTimer): void {
    this.state.timers = this.state.timers.delete(timer);
    this.state.index = withoutOwned(this.state.index, 'waits', element, timer);
  }

  closeSubscription({ subscription, element, ...what }: OpenSubscription): void {
    this.state.subscriptions = this.state.subscriptions.delete(subscription);
    this.state.index = withoutOwned(this.state.index, 'waits', element, subscription);
    const type = 'signalName' in what ? 'closeSignalSubscription' : 'closeSubscription';
    this.effects.push({ type, subscription });
  }

  /** Closes everything that was opened for an element. */
  closeWaits(element: number): void {
    for (const key of this.state.index.waits.get(element)?.keys() ?? []) {
      const subscription = this.state.subscriptions.get(key);
      const timer = this.state.timers.get(key);
      if (subscription !== undefined) this.closeSubscription(subscription);
      if (timer === undefined) continue;
      this.timerDue(timer);
      this.effects.push({ type: 'cancelTimer', timer: key });
    }
  }

  /** The events that an element waits for. */
  waitsOf(element: number): ReadonlySet<string> {
    const { index, timers, subscriptions } = this.state;
    const keys = index.waits.get(element)?.keys() ?? [];
    return new Set([...keys].map((key) => (timers.get(key) ?? subscriptions.get(key))?.elementId ?? ''));
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
    this.state.incidents = this.state.incidents.set(incident.incident, incident);
    this.state.index = withOwned(this.state.index, 'incidents', element.key, incident.incident);
    this.errorsChanged = true;
    this.note({ type: 'incident', incident });
  }

  resolveIncident(key: number): void {
    const open = this.state.incidents.get(key);
    if (open === undefined) return;
    this.state.incidents = this.state.incidents.delete(key);
    this.state.index = withoutOwned(this.state.index, 'incidents', open.element, key);
    this.errorsChanged = true;
    this.note({ type: 'resolved', incident: key, elementId: open.elementId });
  }

  resolveIncidentsOf(element: number): void {
    for (const key of this.state.index.incidents.get(element)?.keys() ?? []) this.resolveIncident(key);
  }

  /** Adds warnings of expressions of the acting element: each only once, however many rounds there are. */
  warn(source: string, warnings: readonly { readonly code: string; readonly message: string }[]): void {
    for (const { code, message } of warnings) {
      const before = this.state.warnings ?? [];
      if (this.acting === null || before.length >= limits.warnings) return;
      const { key, elementId } = this.acting;
      const expression = source.slice(0, WARNING_CHARACTERS);
      const warning = { elementId, expression, code, message: message.slice(0, WARNING_CHARACTERS) };
      if (before.some((one) => isSameValue(one, warning))) continue;
      this.state.warnings = [...before, warning];
      this.note({ type: 'warned', element: key, ...warning });
    }
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
