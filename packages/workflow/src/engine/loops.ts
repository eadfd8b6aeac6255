import { toJson } from '@kethub/feel';
import type { MultiInstance, Node } from '../graph.ts';
import type { ElementInstance, Loop, Value } from '../types.ts';
import { evaluate, evaluateBoolean, evaluateJson, kindOf } from './evaluate.ts';
import { Failure } from './failure.ts';
import { limits } from './limits.ts';
import type { Machine } from './machine.ts';
import { terminate } from './terminate.ts';
import { scopeAt } from './variables.ts';

export const isBody = (node: Node, element: Readonly<ElementInstance>): boolean =>
  node.multiInstance !== null && element.loopCounter === undefined;

/** Begins a loop: all its instances at once, or the first. None: it is complete. */
export function beginLoop(machine: Machine, key: number, multi: MultiInstance): void {
  const items = itemsOf(machine, key, multi);
  const output = multi.outputCollection === null ? null : items.map(() => null);
  machine.edit(key).loop = { size: items.length, started: 0, completed: 0, output };
  if (items.length === 0) machine.push({ do: 'complete', element: key });
  else if (multi.sequential) machine.push({ do: 'next', body: key });
  else for (const [index, item] of items.entries()) machine.push({ do: 'instance', body: key, index, item });
}

/** The next instance of a sequential loop. The collection is read again: it may have changed meanwhile. */
export function nextInstance(machine: Machine, key: number): void {
  const { elementId, loop } = machine.get(key);
  const multi = machine.node(elementId).multiInstance;
  if (loop === undefined || multi === null) return;
  const items = itemsOf(machine, key, multi);
  const item = items[loop.started];
  if (item === undefined) {
    throw new Failure(
      'EXTRACT_VALUE_ERROR',
      `The input collection had ${loop.size} items at first, and has ${items.length} now.`,
    );
  }
  machine.push({ do: 'instance', body: key, index: loop.started, item });
}

function itemsOf(machine: Machine, key: number, { inputCollection }: MultiInstance): readonly Value[] {
  const purpose = { what: 'The input collection', incident: 'EXTRACT_VALUE_ERROR' } as const;
  const { value, noticed } = evaluate(machine, inputCollection, scopeAt(machine.state, key), purpose);
  const items = toJson(value);
  if (!Array.isArray(items)) {
    throw new Failure(
      'EXTRACT_VALUE_ERROR',
      `The input collection has to be a list, and is ${kindOf(items)}${noticed}.`,
    );
  }
  if (items.length <= limits.items) return items;
  throw new Failure(
    'EXTRACT_VALUE_ERROR',
    `The input collection has ${items.length} items, and ${limits.items} are allowed.`,
  );
}

export function createInstance(machine: Machine, body: number, index: number, item: Value): Readonly<ElementInstance> {
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
  const completed = loop.completed + 1;
  const enough = isEnough(machine, instance, multi, { ...loop, completed });
  const output = loop.output?.with((instance.loopCounter ?? 1) - 1, value) ?? null;
  machine.edit(instance.scope).loop = { ...loop, completed, output };
  machine.closeWaits(instance.key);
  machine.remove(instance, 'completed');
  if (enough || completed === loop.size) {
    terminate(machine, machine.children(instance.scope));
    machine.push({ do: 'complete', element: instance.scope });
  } else if (multi.sequential) machine.push({ do: 'next', body: instance.scope });
}

function isEnough(machine: Machine, instance: Readonly<ElementInstance>, multi: MultiInstance, loop: Loop): boolean {
  if (multi.completionCondition === null) return false;
  const scope = scopeAt(machine.state, instance.key, {
    numberOfInstances: loop.size,
    numberOfActiveInstances: loop.started - loop.completed,
    numberOfCompletedInstances: loop.completed,
    numberOfTerminatedInstances: 0,
  });
  const purpose = { what: 'The completion condition', incident: 'EXTRACT_VALUE_ERROR' } as const;
  return evaluateBoolean(machine, multi.completionCondition, scope, purpose);
}
