import type { ProcessGraph } from '../graph.ts';
import { emptyState, type State } from '../state/state.ts';
import {
  STATE_VERSION,
  type Command,
  type Env,
  type Event,
  type StartRequest,
  type ElementInstance,
} from '../types.ts';
import type { StepResult } from './step-result.ts';
import { complete, leave, settle } from './completion.ts';
import { isTooDeep, MAX_DEPTH, valueOf } from './depth.ts';
import { activate, enter, enterInstances, enterNext } from './elements.ts';
import { applicationOf } from './events.ts';
import { Machine } from './machine.ts';
import { errorsOf } from './status.ts';
import { end, terminate } from './terminate.ts';
import { handle, happen } from './trigger.ts';
import { Failure } from './failure.ts';

/**
 * Starts an instance, up to where it first waits. Throws when the graph has no such process or start event, or the
 * variables are nested too deep (`isTooDeep`).
 */
export function start(graph: ProcessGraph, request: StartRequest, env: Env): StepResult {
  const processId = request.processId ?? graph.processId;
  if (isTooDeep(request.variables)) throw new Error(`The variables are nested more than ${MAX_DEPTH} deep`);
  const process = graph.processes.get(processId);
  if (process === undefined) throw new Error(`The graph has no process ${processId}`);
  const root = process.nodes.get(processId);
  const startEvent = request.startEvent ?? (root?.kind === 'process' ? root.start : null);
  const event = startEvent === null ? undefined : process.nodes.get(startEvent);
  if (event?.kind !== 'startEvent' || event.scope !== processId) {
    throw new Error(`The process ${processId} has no start event ${startEvent ?? 'without a definition'}`);
  }
  const state = emptyState({
    v: STATE_VERSION,
    processId,
    seed: request.seed,
    phase: 'RUNNING',
    seq: 0,
    nextKey: 1,
    draws: 0,
    outputs: {},
    error: null,
    secrets: request.secrets ?? [],
    caughtOutside: request.caughtOutside ?? null,
    work: null,
  });
  const machine = new Machine(graph, state, env);
  machine.note({ type: 'event', event: { type: 'start', ...request } });
  const { key } = machine.create(processId, 0, { variables: { ...request.variables }, startedBy: event.id });
  machine.push({ do: 'activate', element: key });
  return finishStep(machine);
}

/**
 * Applies an event to an instance: returns the state after it, the effects, and the journal entries. The given state is
 * not changed. The same arguments always give the same result.
 *
 * A paused step must be resumed first: until then the only possible event is a cancellation; others throw.
 */
export function step(graph: ProcessGraph, state: State, event: Event, env: Env): StepResult {
  if (state.work !== null && event.type !== 'cancel')
    throw new Error(`A step is paused, and ${event.type} has to wait`);
  const known = isTooDeep(valueOf(event)) ? withoutDepth(graph, state, event) : withoutCalled(event);
  const apply = state.phase === 'RUNNING' && known !== null ? applicationOf(state, known) : null;
  if (apply === null || known === null) return { state, effects: [], journal: [], changed: false };
  const { work } = state;
  const machine = new Machine(graph, work === null ? state : { ...state, work: { ...work, now: env.now } }, env);
  machine.note({ type: 'event', event: work === null ? known : { type: 'cancel', after: work.done } });
  machine.done = 0;
  apply(machine);
  return finishStep(machine);
}

/** Continues a paused step. */
export function resume(graph: ProcessGraph, state: State, env: Env): StepResult {
  if (state.work === null) return { state, effects: [], journal: [], changed: false };
  return finishStep(new Machine(graph, state, env));
}

/** The application of a call when none is known. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** Makes a job fail whose result or problem cannot be stored; null for other events. */
function withoutDepth({ processes }: ProcessGraph, state: State, event: Event): Event | null {
  if (event.type !== 'jobSucceeded' && event.type !== 'jobFailed') return null;
  const response = { title: `The answer of the service is nested more than ${MAX_DEPTH} deep.` };
  if (event.type === 'jobFailed') return { ...event, response };
  const element = state.elements.get(state.index.jobs.get(event.job) ?? 0);
  const node = processes.get(state.processId)?.nodes.get(element?.elementId ?? '');
  if (node?.kind !== 'service') return null;
  const { serviceId, applicationId } = node.service;
  const called = event.called ?? { serviceId, applicationId: applicationId ?? NIL };
  return { type: 'jobFailed', job: event.job, ...called, response };
}

function withoutCalled(event: Event): Event {
  if (event.type !== 'jobSucceeded' || event.called === undefined) return event;
  return { type: event.type, job: event.job, result: event.result };
}

/** Runs commands until the instance waits or has ended, or the step is paused. */
function finishStep(machine: Machine): StepResult {
  while (!machine.isDone) {
    doNext(machine);
    machine.done++;
    if (machine.env.pauses?.(machine.done, machine.state.seq) === true && !machine.isDone) {
      machine.pause();
      return machine.result();
    }
  }
  if (machine.errorsChanged) {
    const ended = machine.effects.findIndex(({ type }) => type === 'finished');
    const changed = { type: 'incidentsChanged', errors: errorsOf(machine.state) } as const;
    machine.effects.splice(ended === -1 ? machine.effects.length : ended, 0, changed);
  }
  return machine.result();
}

/** Runs the next command. A scope is checked once nothing moves any more. */
function doNext(machine: Machine): void {
  const command = machine.nextCommand();
  if (command !== undefined) {
    carryOut(machine, command);
    return;
  }
  const scope = machine.nextMoved();
  if (scope !== undefined) settle(machine, scope);
}

function carryOut(machine: Machine, command: Command): void {
  switch (command.do) {
    case 'enter':
      return enter(machine, command);
    case 'instances':
      return enterInstances(machine, command);
    case 'next':
      return attempt(machine, command.body, () => enterNext(machine, command.body));
    case 'activate':
      return attempt(machine, command.element, (element) => activate(machine, element));
    case 'complete':
      return attempt(machine, command.element, (element) => complete(machine, element));
    case 'leave':
      return attempt(machine, command.element, (element) => leave(machine, element, command.flows));
    case 'terminate':
    case 'terminateIn':
      return terminate(machine, command);
    case 'happen':
      return happen(machine, command);
    case 'handle':
      return handle(machine, command);
    case 'end':
      return end(machine, command);
  }
}

/** Runs an action on an element. A failure becomes an incident of the element. */
export function attempt(machine: Machine, key: number, action: (element: Readonly<ElementInstance>) => void): void {
  const element = machine.find(key);
  if (element === undefined) return;
  machine.acting = element;
  try {
    action(element);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const failedElement = element.elementId;
    machine.incident(element, error.type, { errorCode: 'WORKFLOW_ERROR', failedElement, message: error.message });
  }
}
