import type { Node, NodeOf } from '../graph.ts';
import type { Command, ElementInstance } from '../types.ts';
import { throwError, throwEscalation } from './errors.ts';
import { evaluateJson, evaluateText } from './evaluate.ts';
import { arrive, chosenFlows, joins } from './gateways.ts';
import { limits } from './limits.ts';
import { beginLoop, isBody, nextInstance, nextInstances } from './loops.ts';
import type { Machine } from './machine.ts';
import { startChild, startJob } from './outside.ts';
import { throwMessage, throwSignal } from './throwing.ts';
import { eventsOfScope, openBoundaries, triggerOf } from './trigger.ts';
import { mapInputs, scopeAt } from './variables.ts';
import { openWaits } from './waits.ts';

/** Moves a token to a node, unless its scope has ended or been interrupted meanwhile. */
export function enter(machine: Machine, { scope, node: id, flow }: Extract<Command, { do: 'enter' }>): void {
  const element = machine.find(scope);
  if (element === undefined || element.interrupted === true || element.ending === true) return;
  machine.note({ type: 'taken', flowId: flow, scope });
  const node = machine.node(id);
  if (joins(node)) arrive(machine, scope, node, flow);
  else begin(machine, machine.create(id, scope));
}

/** Begins some instances of a parallel loop. */
export function enterInstances(machine: Machine, command: Extract<Command, { do: 'instances' }>): void {
  if (machine.find(command.body) === undefined) return;
  for (const element of nextInstances(machine, command)) begin(machine, element);
}

/** Begins the next instance of a sequential loop. */
export function enterNext(machine: Machine, body: number): void {
  const element = nextInstance(machine, body);
  if (element !== null) begin(machine, element);
}

/** Begins an element. Beyond the limit of a step it gets an incident, so that no step runs for ever. */
function begin(machine: Machine, element: Readonly<ElementInstance>): void {
  if (++machine.transitions <= limits.transitions) {
    machine.push({ do: 'activate', element: element.key });
    return;
  }
  const message = `The workflow has gone through ${limits.transitions} elements without waiting. Is it in a loop that never ends?`;
  machine.incident(element, 'TRANSITION_LIMIT', {
    errorCode: 'WORKFLOW_ERROR',
    failedElement: element.elementId,
    message,
  });
}

/** Activates an element from its input mappings on; after an incident, from the phase that it was in. */
export function activate(machine: Machine, element: Readonly<ElementInstance>): void {
  const node = machine.node(element.elementId);
  const { key } = element;
  if (isBody(node, element)) {
    activateBody(machine, element, node);
    return;
  }
  if (element.phase === 'ACTIVATING') {
    mapInputs(machine, element);
    machine.edit(key).phase = 'ACTIVE';
  }
  if (element.loopCounter === undefined) openBoundaries(machine, key);
  run(machine, machine.get(key), node);
}

function activateBody(machine: Machine, element: Readonly<ElementInstance>, node: Node): void {
  openBoundaries(machine, element.key);
  if (element.loop !== undefined) enterNext(machine, element.key);
  else if (node.multiInstance !== null) {
    beginLoop(machine, element.key, node.multiInstance);
    machine.edit(element.key).phase = 'ACTIVE';
  }
}

function run(machine: Machine, element: Readonly<ElementInstance>, node: Node): void {
  const { key } = element;
  switch (node.kind) {
    case 'service':
      startJob(machine, element, node);
      break;
    case 'call':
      startChild(machine, element, node);
      break;
    case 'script':
      runScript(machine, element, node);
      break;
    case 'process':
    case 'subProcess':
    case 'eventSubProcess':
      beginScope(machine, element, node);
      break;
    case 'catchEvent':
      openWaits(machine, key, [{ event: node.id, trigger: node.trigger }]);
      break;
    case 'eventGateway':
      openWaits(machine, key, eventsBehind(machine, node));
      break;
    case 'parallelGateway':
    case 'exclusiveGateway':
    case 'inclusiveGateway':
      machine.push({ do: 'leave', element: key, flows: chosenFlows(machine, element, node) });
      break;
    case 'escalationEvent':
      throwEscalation(machine, key, node.code);
      break;
    case 'messageEvent':
      throwMessage(machine, element, node);
      break;
    case 'signalEvent':
      throwSignal(machine, element, node);
      break;
    case 'errorEndEvent':
      throwOwnError(machine, element, node);
      break;
    default:
      machine.push({ do: 'complete', element: key });
  }
}

function runScript(machine: Machine, { key }: Readonly<ElementInstance>, node: NodeOf<'script'>): void {
  const purpose = { what: 'The script', incident: 'EXTRACT_VALUE_ERROR' } as const;
  const value = evaluateJson(machine, node.expression, scopeAt(machine.state, key), purpose);
  machine.edit(key).payload = { [node.resultVariable]: value };
  machine.push({ do: 'complete', element: key });
}

/**
 * Puts the first token into a process or sub-process. The start event of an event sub-process has the payload of the
 * event.
 */
function beginScope(
  machine: Machine,
  element: Readonly<ElementInstance>,
  node: NodeOf<'process' | 'subProcess' | 'eventSubProcess'>,
): void {
  openWaits(machine, element.key, eventsOfScope(machine, node.eventSubProcesses));
  const start = element.startedBy ?? node.start;
  if (start === null) throw new Error(`${node.id} has no start event`);
  const scope = machine.edit(element.key);
  const payload = scope.payload ?? {};
  delete scope.payload;
  const { key } = machine.create(start, element.key, { phase: 'COMPLETING', payload });
  machine.push({ do: 'complete', element: key });
}

function eventsBehind(machine: Machine, node: NodeOf<'eventGateway'>) {
  return node.outgoing.flatMap((flow) => {
    const event = machine.process.flows.get(flow)?.target;
    return event === undefined ? [] : [{ event, trigger: triggerOf(machine, event) }];
  });
}

/** Workflow errors, rule 5: the code is a constant, the message an expression; a message is never empty. */
function throwOwnError(machine: Machine, element: Readonly<ElementInstance>, node: NodeOf<'errorEndEvent'>): void {
  const purpose = { what: 'The error message', incident: 'EXTRACT_VALUE_ERROR' } as const;
  const scope = scopeAt(machine.state, element.key);
  const message =
    node.message === null
      ? `The workflow ended with the error ${node.code}.`
      : evaluateText(machine, node.message, scope, purpose);
  const error = { errorCode: node.code, failedElement: node.id, message };
  throwError(machine, element.key, node.code, error, 'UNHANDLED_ERROR_EVENT');
}
