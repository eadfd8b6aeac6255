import type { ProcessGraph } from '../graph.ts';
import { STATE_VERSION, type Env, type Event, type StartRequest, type State, type StepResult } from '../types.ts';
import { complete, leave, settle } from './completion.ts';
import { isTooDeep, MAX_DEPTH, valueOf } from './depth.ts';
import { activate, enter, enterInstance } from './elements.ts';
import { applicationOf } from './events.ts';
import { attempt } from './failure.ts';
import { nextInstance } from './loops.ts';
import { Machine, type Command } from './machine.ts';
import { errorsOf } from './status.ts';

/**
 * A new instance of a process, up to where it first waits. Throws when the graph has no such process or start event, or the
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
  const state: State = {
    v: STATE_VERSION,
    processId,
    seed: request.seed,
    phase: 'RUNNING',
    seq: 0,
    nextKey: 1,
    draws: 0,
    elements: {},
    timers: {},
    subscriptions: {},
    incidents: [],
    outputs: {},
    error: null,
    secrets: request.secrets ?? [],
    caughtOutside: request.caughtOutside ?? null,
  };
  const machine = new Machine(graph, state, { type: 'start', ...request }, env);
  const { key } = machine.create(processId, 0, { variables: { ...request.variables }, startedBy: event.id });
  machine.push({ do: 'activate', element: key });
  return finishStep(machine);
}

/**
 * What an event does to an instance: the state after it, what is to be done outside, and what goes into the journal. The
 * state given is not changed. The same arguments always give the same result.
 */
export function step(graph: ProcessGraph, state: State, event: Event, env: Env): StepResult {
  const known = isTooDeep(valueOf(event)) ? withoutDepth(graph, state, event) : withoutCalled(event);
  const apply = state.phase === 'RUNNING' && known !== null ? applicationOf(state, known) : null;
  if (apply === null || known === null) return { state, effects: [], journal: [], changed: false };
  const machine = new Machine(graph, state, known, env);
  apply(machine);
  return finishStep(machine);
}

/** The application of a call that nobody has told. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** A service whose result or problem cannot be kept has failed; null for other events. */
function withoutDepth({ processes }: ProcessGraph, state: State, event: Event): Event | null {
  if (event.type !== 'jobSucceeded' && event.type !== 'jobFailed') return null;
  const response = { title: `The answer of the service is nested more than ${MAX_DEPTH} deep.` };
  if (event.type === 'jobFailed') return { ...event, response };
  const element = Object.values(state.elements).find(({ job }) => job === event.job);
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

/** Does everything that follows, until the instance waits or has ended. */
function finishStep(machine: Machine): StepResult {
  for (;;) {
    const command = machine.nextCommand();
    if (command !== undefined) {
      carryOut(machine, command);
      continue;
    }
    const scope = machine.nextMoved();
    if (scope === undefined) break;
    settle(machine, scope);
  }
  if (machine.errorsChanged) {
    const ended = machine.effects.findIndex(({ type }) => type === 'finished');
    const changed = { type: 'incidentsChanged', errors: errorsOf(machine.state) } as const;
    machine.effects.splice(ended === -1 ? machine.effects.length : ended, 0, changed);
  }
  return machine.result();
}

function carryOut(machine: Machine, command: Command): void {
  switch (command.do) {
    case 'enter':
      enter(machine, command);
      break;
    case 'instance':
      enterInstance(machine, command);
      break;
    case 'next':
      attempt(machine, command.body, () => nextInstance(machine, command.body));
      break;
    case 'activate':
      attempt(machine, command.element, (element) => activate(machine, element));
      break;
    case 'complete':
      attempt(machine, command.element, (element) => complete(machine, element));
      break;
    case 'leave':
      attempt(machine, command.element, (element) => leave(machine, element, command.flows));
      break;
  }
}
