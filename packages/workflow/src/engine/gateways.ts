import type { Node, NodeOf } from '../graph.ts';
import type { ElementInstance, WaitingTokens } from '../types.ts';
import { evaluateBoolean } from './evaluate.ts';
import { Failure } from './failure.ts';
import type { Machine } from './machine.ts';
import { scopeAt } from './variables.ts';

/** Returns whether a token that comes to a node has to wait there for others. */
export function joins(node: Node): node is NodeOf<'parallelGateway'> | NodeOf<'inclusiveGateway'> {
  return (node.kind === 'parallelGateway' || node.kind === 'inclusiveGateway') && node.incoming.length > 1;
}

/** Stores a token at a joining gateway. A parallel one fires as soon as every incoming flow has one. */
export function arrive(machine: Machine, scope: number, gateway: Node, flow: string): void {
  const element = machine.edit(scope);
  element.waiting = oneMore(element.waiting ?? [], gateway.id, flow);
  machine.moved(scope);
  if (gateway.kind !== 'parallelGateway') return;
  const arrived = arrivedAt(element, gateway.id);
  if (gateway.incoming.every((each) => arrived.has(each))) fire(machine, scope, gateway);
}

function oneMore(waiting: readonly WaitingTokens[], gateway: string, flow: string): readonly WaitingTokens[] {
  const isSame = (tokens: WaitingTokens) => tokens.gateway === gateway && tokens.flow === flow;
  return waiting.some(isSame)
    ? waiting.map((tokens) => (isSame(tokens) ? { ...tokens, count: tokens.count + 1 } : tokens))
    : [...waiting, { gateway, flow, count: 1 }];
}

function arrivedAt(scope: Readonly<ElementInstance>, gateway: string): Set<string> {
  return new Set((scope.waiting ?? []).filter((token) => token.gateway === gateway).map(({ flow }) => flow));
}

/** Takes one token of each flow that has one, and goes on with one. */
function fire(machine: Machine, scope: number, gateway: Node): void {
  const element = machine.edit(scope);
  const left = (element.waiting ?? []).map((tokens) =>
    tokens.gateway === gateway.id ? { ...tokens, count: tokens.count - 1 } : tokens,
  );
  element.waiting = left.filter(({ count }) => count > 0);
  if (element.waiting.length === 0) delete element.waiting;
  const { key } = machine.create(gateway.id, scope);
  machine.push({ do: 'activate', element: key });
}

/**
 * Fires an inclusive join of a scope in which nothing moves any more, when no token can still come to it. Returns whether
 * one has fired.
 */
export function fireInclusive(machine: Machine, scope: number): boolean {
  const element = machine.get(scope);
  const waiting = element.waiting ?? [];
  const gateways = new Set(waiting.map(({ gateway }) => gateway));
  const activeElements = new Set(machine.content(scope).counts.keys());
  for (const id of gateways) {
    const gateway = machine.node(id);
    if (gateway.kind !== 'inclusiveGateway') continue;
    const arrived = arrivedAt(element, id);
    const others = new Set([...activeElements, ...[...gateways].filter((other) => other !== id)]);
    const missing = gateway.incoming.filter((flow) => !arrived.has(flow));
    if (missing.some((flow) => canCome(others, gateway.canComeAlong(flow)))) continue;
    fire(machine, scope, gateway);
    return true;
  }
  if (activeElements.size > 0) return false;
  // Joins that wait for each other, or for one that can never fire: nothing else will come, so the first one goes on.
  const first = waiting.map(({ gateway }) => machine.node(gateway)).find(({ kind }) => kind === 'inclusiveGateway');
  if (first === undefined) return false;
  fire(machine, scope, first);
  return true;
}

function canCome(activeElements: ReadonlySet<string>, from: ReadonlySet<string>): boolean {
  for (const element of activeElements) if (from.has(element)) return true;
  return false;
}

/** The outgoing flows that a gateway takes: one, those that are true, or all. */
export function chosenFlows(machine: Machine, element: Readonly<ElementInstance>, node: Node): readonly string[] {
  if (node.kind !== 'exclusiveGateway' && node.kind !== 'inclusiveGateway') return node.outgoing;
  const chosen: string[] = [];
  for (const flow of node.outgoing) {
    if (flow === node.defaultFlow || !isTrue(machine, element, flow)) continue;
    chosen.push(flow);
    if (node.kind === 'exclusiveGateway') break;
  }
  if (chosen.length > 0) return chosen;
  if (node.defaultFlow !== null) return [node.defaultFlow];
  throw new Failure('CONDITION_ERROR', 'No condition of an outgoing flow is true, and there is no default flow.');
}

function isTrue(machine: Machine, element: Readonly<ElementInstance>, flow: string): boolean {
  const condition = machine.process.flows.get(flow)?.condition ?? null;
  if (condition === null) return true;
  const purpose = { what: `The condition of ${flow}`, incident: 'EXTRACT_VALUE_ERROR' } as const;
  return evaluateBoolean(machine, condition, scopeAt(machine.state, element.key), purpose);
}
