import { ExactNumber, FeelFunction, Secret, type Scope, type Value as FeelValue } from '@kethub/feel';
import type { Mapping } from '../graph.ts';
import type { State } from '../state/state.ts';
import type { ElementInstance, Value, Variables } from '../types.ts';
import { evaluate, evaluateJson } from './evaluate.ts';
import { Failure } from './failure.ts';
import type { Machine } from './machine.ts';

/** The variables that an element sees: its own, then those of the scopes around it. `before` come first. */
export function scopeAt(state: State, key: number, before: Variables = {}): Scope {
  return { lookup: (name) => (Object.hasOwn(before, name) ? before[name] : lookup(state, key, name)) };
}

export function lookup({ elements }: State, key: number, name: string): Value | undefined {
  for (let element = elements.get(key); element !== undefined; element = elements.get(element.scope)) {
    if (Object.hasOwn(element.variables, name)) return element.variables[name];
  }
  return undefined;
}

/** Everything that an element sees, by name. */
export function variablesAt({ elements }: State, key: number): Variables {
  const layers: Variables[] = [];
  for (let element = elements.get(key); element !== undefined; element = elements.get(element.scope)) {
    layers.unshift(element.variables);
  }
  return layers.reduce((seen, layer) => ({ ...seen, ...layer }), {});
}

/** Sets each variable in the nearest scope, from `key` outwards, that has one of its name; else in the process. */
export function merge(machine: Machine, key: number, variables: Variables): void {
  const byOwner = new Map<number, [string, Value][]>();
  for (const [name, value] of Object.entries(variables)) {
    const owner = ownerOf(machine, key, name);
    const entries = byOwner.get(owner);
    if (entries === undefined) byOwner.set(owner, [[name, value]]);
    else entries.push([name, value]);
  }
  for (const [owner, entries] of byOwner) machine.setVariables(owner, Object.fromEntries(entries));
}

function ownerOf(machine: Machine, key: number, name: string): number {
  let element = machine.get(key);
  while (element.scope !== 0 && !Object.hasOwn(element.variables, name)) element = machine.get(element.scope);
  return element.key;
}

/** Input mappings become local variables; each sees the targets of those before it. A missing source is null. */
export function mapInputs(machine: Machine, element: Readonly<ElementInstance>): void {
  const { inputs } = machine.node(element.elementId);
  if (inputs.length === 0) return;
  let mapped: Variables = {};
  for (const mapping of inputs) {
    const value =
      mapping.target[0] === '$secrets'
        ? secrets(machine, element, mapping)
        : evaluateJson(
            machine,
            mapping.source,
            scopeAt(machine.state, element.key, mapped),
            purposeOf('input', mapping),
          );
    mapped = assign(mapped, mapping.target, value);
  }
  machine.setVariables(element.key, mapped);
}

const purposeOf = (kind: string, { target }: Mapping) =>
  ({ what: `The ${kind} mapping ${target.join('.')}`, incident: 'IO_MAPPING_ERROR' }) as const;

/** `{name: {"$secret": "field"}}`: values of secrets are known to nobody here. */
function secrets(machine: Machine, element: Readonly<ElementInstance>, mapping: Mapping): Value {
  const known = machine.state.secrets;
  const functions = new Map([
    [
      'secret_value',
      new FeelFunction(['name'], ([name], call) =>
        typeof name === 'string' && known.includes(name)
          ? new Secret(name)
          : call.fail(`the input of the workflow has no secret ${typeof name === 'string' ? name : ''}`),
      ),
    ],
  ]);
  const purpose = purposeOf('input', mapping);
  const { value, noticed } = evaluate(machine, mapping.source, scopeAt(machine.state, element.key), purpose, functions);
  const entries = isContext(value) ? Object.entries(value) : [];
  const read = entries.flatMap(([name, secret]) =>
    secret instanceof Secret ? [[name, secret.toJSON()] as const] : [],
  );
  if (read.length > 0 && read.length === entries.length) return Object.fromEntries(read);
  throw new Failure(
    'IO_MAPPING_ERROR',
    `$secrets has to be an object whose entries are all read with secret_value${noticed}.`,
  );
}

function isContext(value: FeelValue): value is { readonly [name: string]: FeelValue } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

interface MappedOutput {
  readonly target: readonly string[];
  readonly value: Value;
}

/**
 * Gives the result of an element to the scopes around it. Without output mappings every variable of the result goes to
 * the nearest scope that has one of its name, the element's own included. Without such a scope it goes to the process.
 * With output mappings, the result is local, and only their targets leave the element.
 */
export function mapOutputs(machine: Machine, element: Readonly<ElementInstance>): readonly MappedOutput[] {
  const { outputs } = machine.node(element.elementId);
  const payload = element.payload ?? {};
  if (outputs.length === 0) {
    merge(machine, element.key, payload);
    return [];
  }
  const isInstance = element.loopCounter !== undefined;
  // Outputs of an instance of a loop go to its own variables first, such as the one that the loop collects.
  const from = isInstance ? element.key : element.scope;
  let mapped: Variables = {};
  const values: MappedOutput[] = [];
  for (const mapping of outputs) {
    const { target, source } = mapping;
    const scope = scopeAt(machine.state, element.key, { ...payload, ...mapped });
    const value = evaluateJson(machine, source, scope, purposeOf('output', mapping));
    const [name = ''] = target;
    const before = Object.hasOwn(mapped, name) || target.length === 1 ? undefined : lookup(machine.state, from, name);
    mapped = assign(before === undefined ? mapped : { ...mapped, [name]: before }, target, value);
    values.push({ target, value });
  }
  merge(machine, from, mapped);
  if (isInstance) machine.setVariables(element.key, { ...payload, ...machine.get(element.key).variables });
  return values;
}

/** A copy in which the member at a path has a value; what is no object on the way becomes one. */
export function assign(variables: Variables, path: readonly string[], value: Value): Variables {
  const [name, ...rest] = path;
  if (name === undefined) return variables;
  if (rest.length === 0) return { ...variables, [name]: value };
  const inner = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return { ...variables, [name]: assign(isObject(inner) ? inner : {}, rest, value) };
}

export function isObject(value: Value | undefined): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}
