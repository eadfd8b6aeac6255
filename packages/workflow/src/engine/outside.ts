import { whyNotCallable } from '../callable.ts';
import type { NodeOf } from '../graph.ts';
import type { ElementInstance, Value, Variables } from '../types.ts';
import { caughtAround } from './errors.ts';
import { evaluateText } from './evaluate.ts';
import { Failure } from './failure.ts';
import type { Machine } from './machine.ts';
import { isObject, scopeAt, variablesAt } from './variables.ts';

/** Starts a job: an execution of the service, with the input of the input mappings. */
export function startJob(
  machine: Machine,
  element: Readonly<ElementInstance>,
  { service, inputs, called }: NodeOf<'service'>,
): void {
  const job = machine.newKey();
  machine.setJob(element.key, job);
  const mapped = mappedOf(element, inputs);
  const input = called?.allParentVariables === true ? { ...seenBy(machine, element), ...mapped } : mapped;
  machine.effects.push({ type: 'startJob', job, elementId: element.elementId, service, input });
}

/** The variables that an element sees, with references to data pools in the form for services. */
function seenBy(machine: Machine, { key }: Readonly<ElementInstance>): Variables {
  const seen = Object.entries(variablesAt(machine.state, key)).filter(([name]) => name !== '$secrets');
  return Object.fromEntries(seen.map(([name, value]) => [name, dataPool(value)]));
}

function mappedOf({ variables }: Readonly<ElementInstance>, inputs: NodeOf<'service'>['inputs']): Variables {
  const names = new Set(inputs.map(({ target: [name = ''] }) => name));
  return Object.fromEntries([...names].map((name) => [name, dataPool(variables[name] ?? null)]));
}

/**
 * A reference to a data pool is `datapool` in the input of a workflow (Data mapping, rule 4). It is `DATAPOOL` in the
 * input of a service (Execution input).
 */
function dataPool(value: Value): Value {
  return isObject(value) && value['ref'] === 'datapool' && typeof value['id'] === 'string'
    ? { ...value, ref: 'DATAPOOL' }
    : value;
}

/** The variables from the result of a service. */
export const resultVariables = (result: Value): Variables => (isObject(result) ? result : { result });

/** Starts an instance of another process. Its secrets are those of this one. */
export function startChild(machine: Machine, element: Readonly<ElementInstance>, node: NodeOf<'call'>): void {
  const purpose = { what: 'The id of the called process', incident: 'CALLED_ELEMENT_ERROR' } as const;
  const processId = evaluateText(machine, node.processId, scopeAt(machine.state, element.key), purpose);
  const why = whyNotCallable(machine.processes, processId);
  if (why !== null) throw new Failure('CALLED_ELEMENT_ERROR', why);
  const child = machine.newKey();
  machine.setChild(element.key, child);
  machine.effects.push({
    type: 'startChild',
    child,
    elementId: element.elementId,
    processId,
    variables: node.allParentVariables ? variablesAt(machine.state, element.key) : element.variables,
    secrets: machine.state.secrets,
    caughtOutside: caughtAround(machine, element.key),
  });
}
