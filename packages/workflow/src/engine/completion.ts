import type { Node } from '../graph.ts';
import type { ElementInstance } from '../types.ts';
import { fireInclusive } from './gateways.ts';
import { collect, collectedOf, isBody } from './loops.ts';
import type { Machine } from './machine.ts';
import { mapOutputs, merge, assign } from './variables.ts';

/** Completes an element: output mappings, then the tokens on its outgoing flows. */
export function complete(machine: Machine, element: Readonly<ElementInstance>): void {
  const { key } = element;
  const node = machine.node(element.elementId);
  if (isBody(node, element)) {
    completeBody(machine, element, node);
    return;
  }
  if (element.phase !== 'COLLECTING') giveResult(machine, element, node);
  if (element.loopCounter !== undefined) {
    machine.edit(key).phase = 'COLLECTING';
    collect(machine, machine.get(key));
  } else if (element.scope === 0) finish(machine, element);
  else {
    leave(machine, element, node.outgoing);
    if (node.kind === 'terminateEndEvent') terminateOthers(machine, element.scope);
  }
}

function giveResult(machine: Machine, { key }: Readonly<ElementInstance>, node: Node): void {
  const element = machine.edit(key);
  element.phase = 'COMPLETING';
  const mapped = mapOutputs(machine, element);
  if (!('result' in node) || !node.result) return;
  // Data mapping, rule 3. With several end events the result has the outputs of all; of two for one name, the later.
  for (const { target, value } of mapped) machine.state.outputs = assign(machine.state.outputs, target, value);
}

/** Completes a loop body: the outer scopes get the collected outputs only now. */
function completeBody(machine: Machine, element: Readonly<ElementInstance>, node: Node): void {
  const name = node.multiInstance?.outputCollection ?? null;
  if (name !== null) merge(machine, element.scope, { [name]: collectedOf(machine.state, element.loop) });
  leave(machine, element, node.outgoing);
}

/** Leaves an element: puts a token on each of these flows. */
export function leave(machine: Machine, element: Readonly<ElementInstance>, flows: readonly string[]): void {
  machine.closeWaits(element.key);
  machine.remove(element, 'completed');
  for (const id of flows) {
    const flow = machine.process.flows.get(id);
    if (flow !== undefined) machine.push({ do: 'enter', scope: element.scope, node: flow.target, flow: id });
  }
}

/** Ends everything else in the scope of a terminate end event, which then completes. */
function terminateOthers(machine: Machine, key: number): void {
  const scope = machine.edit(key);
  scope.ending = true;
  delete scope.waiting;
  machine.pushUrgent({ do: 'terminateIn', scope: key });
}

/** Checks a scope in which something has moved, once nothing moves any more: it may be complete. */
export function settle(machine: Machine, key: number): void {
  const scope = machine.find(key);
  if (scope === undefined || scope.phase !== 'ACTIVE' || scope.loop !== undefined) return;
  const waiting = scope.waiting ?? [];
  if (waiting.length > 0 && fireInclusive(machine, key)) {
    machine.moved(key);
    return;
  }
  if (machine.content(key).keys.size > 0) return;
  const [token] = waiting;
  if (token === undefined) machine.push({ do: 'complete', element: key });
  else reportDeadlock(machine, scope, token.gateway);
}

/** Reports a deadlock: only tokens are left at a join whose other flows no token can reach. */
function reportDeadlock(machine: Machine, scope: Readonly<ElementInstance>, gateway: string): void {
  const { index, incidents } = machine.state;
  for (const key of index.incidents.get(scope.key)?.keys() ?? []) if (incidents.get(key)?.type === 'DEADLOCK') return;
  const message = 'This gateway waits for a sequence flow along which nothing can come any more.';
  machine.incident(scope, 'DEADLOCK', { errorCode: 'WORKFLOW_ERROR', failedElement: gateway, message });
}

function finish(machine: Machine, process: Readonly<ElementInstance>): void {
  const { state } = machine;
  machine.closeWaits(process.key);
  const { variables } = machine.get(process.key);
  machine.remove(process, 'completed');
  state.phase = 'COMPLETED';
  machine.note({ type: 'finished', phase: 'COMPLETED' });
  machine.effects.push({ type: 'finished', outcome: { type: 'completed', result: state.outputs, variables } });
}
