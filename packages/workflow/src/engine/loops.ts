import { toJson, type Value as FeelValue } from '@kethub/feel';
import type { MultiInstance, Node } from '../graph.ts';
import type { State } from '../state/state.ts';
import type { Command, ElementInstance, Loop, Value, Variables } from '../types.ts';
import { evaluate, evaluateBoolean, evaluateJson, kindOf } from './evaluate.ts';
import { Failure } from './failure.ts';
import { limits } from './limits.ts';
import type { Machine } from './machine.ts';
import { scopeAt } from './variables.ts';

export const isBody = (node: Node, element: Readonly<ElementInstance>): boolean =>
  node.multiInstance !== null && element.loopCounter === undefined;

/** Begins a loop: all its instances, or the first. Without items it is complete. */
export function beginLoop(machine: Machine, key: number, multi: MultiInstance): void {
  const items = itemsOf(machine, key, multi);
  const size = items.length;
  const output = multi.outputCollection === null ? null : machine.newKeys(size);
  const loop = { size, started: 0, completed: 0, output };
  machine.edit(key).loop = loop;
  if (size === 0) machine.push({ do: 'complete', element: key });
  else if (multi.sequential) machine.push({ do: 'next', body: key });
  else {
    // The list of items is fixed now, whatever the instances do.
    const list = machine.newKey();
    machine.edit(key).loop = { ...loop, items: list };
    machine.state.collected = machine.state.collected.set(
      list,
      items.map((item) => toJson(item)),
    );
    machine.push({ do: 'instances', body: key, from: 0, to: size });
  }
}

/** Number of instances that one command makes. Further ones are made by the next command. */
const AT_ONCE = 64;

/** The next few instances of a parallel loop. */
export function nextInstances(
  machine: Machine,
  { body, from, to }: Extract<Command, { do: 'instances' }>,
): readonly Readonly<ElementInstance>[] {
  const { loop } = machine.get(body);
  if (loop?.items === undefined) return [];
  const items = machine.state.collected.get(loop.items) as readonly Value[];
  const next = Math.min(to, from + AT_ONCE);
  const made = items.slice(from, next).map((item, index) => createInstance(machine, body, from + index, item));
  if (next < to) machine.push({ do: 'instances', body, from: next, to });
  else {
    machine.state.collected = machine.state.collected.delete(loop.items);
    const { items: _done, ...rest } = machine.get(body).loop ?? loop;
    machine.edit(body).loop = rest;
  }
  return made;
}

/** The next instance of a sequential loop. The collection is read again: it may have changed meanwhile. */
export function nextInstance(machine: Machine, key: number): Readonly<ElementInstance> | null {
  const { elementId, loop } = machine.get(key);
  const multi = machine.node(elementId).multiInstance;
  if (loop === undefined || multi === null) return null;
  const items = itemsOf(machine, key, multi);
  const item = items[loop.started];
  if (item === undefined) {
    throw new Failure(
      'EXTRACT_VALUE_ERROR',
      `The input collection had ${loop.size} items at first, and has ${items.length} now.`,
    );
  }
  return createInstance(machine, key, loop.started, toJson(item));
}

/** The items as a FEEL value: a round takes one and does not copy the others. */
function itemsOf(machine: Machine, key: number, { inputCollection }: MultiInstance): readonly FeelValue[] {
  const purpose = { what: 'The input collection', incident: 'EXTRACT_VALUE_ERROR' } as const;
  const { value, noticed } = evaluate(machine, inputCollection, scopeAt(machine.state, key), purpose);
  if (!Array.isArray(value)) {
    throw new Failure(
      'EXTRACT_VALUE_ERROR',
      `The input collection has to be a list, and is ${kindOf(toJson(value))}${noticed}.`,
    );
  }
  const items: readonly FeelValue[] = value;
  if (items.length <= limits.items) return items;
  throw new Failure(
    'EXTRACT_VALUE_ERROR',
    `The input collection has ${items.length} items, and ${limits.items} are allowed.`,
  );
}

function createInstance(machine: Machine, body: number, index: number, item: Value): Readonly<ElementInstance> {
  const { elementId, loop } = machine.get(body);
  const multi = machine.node(elementId).multiInstance;
  if (loop !== undefined) machine.edit(body).loop = { ...loop, started: loop.started + 1 };
  const loopCounter = index + 1;
  const variables = {
    loopCounter,
    ...(multi?.inputElement == null ? {} : { [multi.inputElement]: item }),
    ...outputVariable(multi),
  };
  return machine.create(elementId, body, { loopCounter, variables });
}

/** An output element that is just a variable is one of the instance, so that instances do not share it. */
function outputVariable(multi: MultiInstance | null): { [name: string]: null } {
  const compiled = multi?.outputElement?.compiled;
  const [name] = compiled?.variables ?? [];
  return name !== undefined && compiled?.source.trim() === name ? { [name]: null } : {};
}

/** An instance has completed: its output is collected, and the loop goes on or is complete. */
export function collect(machine: Machine, instance: Readonly<ElementInstance>): void {
  const { elementId, loop } = machine.get(instance.scope);
  const multi = machine.node(elementId).multiInstance;
  if (loop === undefined || multi === null) throw new Error(`${elementId} is no loop`);
  const purpose = { what: 'The output element', incident: 'EXTRACT_VALUE_ERROR' } as const;
  const scope = scopeAt(machine.state, instance.key);
  const value = multi.outputElement === null ? null : evaluateJson(machine, multi.outputElement, scope, purpose);
  if (loop.output !== null) {
    const index = loop.output + (instance.loopCounter ?? 1) - 1;
    machine.state.collected = machine.state.collected.set(index, value);
  }
  const completed = loop.completed + 1;
  const enough = isEnough(machine, instance, multi, { ...loop, completed });
  machine.edit(instance.scope).loop = { ...loop, completed };
  machine.closeWaits(instance.key);
  machine.remove(instance, 'completed');
  if (enough || completed === loop.size) {
    machine.pushUrgent({ do: 'terminateIn', scope: instance.scope });
    machine.push({ do: 'complete', element: instance.scope });
  } else if (multi.sequential) machine.push({ do: 'next', body: instance.scope });
}

/** The outputs that a loop has collected, in the order of its items; null for instances that have not completed. */
export function collectedOf({ collected }: Pick<State, 'collected'>, loop: Loop | undefined): Value[] {
  if (loop === undefined || loop.output === null) return [];
  const list = Array.from({ length: loop.size }, (): Value => null);
  for (const [key, value] of collected.range(loop.output, loop.output + loop.size)) list[key - loop.output] = value;
  return list;
}

function isEnough(machine: Machine, instance: Readonly<ElementInstance>, multi: MultiInstance, loop: Loop): boolean {
  if (multi.completionCondition === null) return false;
  const before: Variables = {
    numberOfInstances: loop.size,
    numberOfActiveInstances: loop.started - loop.completed,
    numberOfCompletedInstances: loop.completed,
    numberOfTerminatedInstances: 0,
  };
  // The list is made only for a condition that reads it.
  if (multi.outputCollection !== null)
    Object.defineProperty(before, multi.outputCollection, { get: () => collectedOf(machine.state, loop) });
  const purpose = { what: 'The completion condition', incident: 'EXTRACT_VALUE_ERROR' } as const;
  return evaluateBoolean(machine, multi.completionCondition, scopeAt(machine.state, instance.key, before), purpose);
}
