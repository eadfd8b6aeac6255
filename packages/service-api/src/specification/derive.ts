import type { ServiceParameter } from '@kethub/contract';
import { limits } from '@kethub/contract/limits';
import type { Static } from 'typebox';
import { atReference, isObject, member, membersOf, resolved, type Json, type JsonObject } from './json.ts';
import { readJson } from './read.ts';
import { resultMembers, tagsMember, type Description } from './template.ts';

/** The signature of `run`, as the build derived it. */
export interface Signature {
  readonly parameters: readonly Static<typeof ServiceParameter>[];
  readonly result: unknown;
}

type Derived = Pick<Description, 'input' | 'schemas'>;

const anything = (description: string): JsonObject => ({ description });
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const secret: JsonObject = { type: 'string', writeOnly: true };
const sealedOnce = 'Sealed, given to the one execution and never shown.';
const poolReference: JsonObject = {
  type: 'object',
  description: 'A data pool. The owner of the calling application has to be able to read it.',
  properties: {
    id: { type: 'string', format: 'uuid' },
    ref: { type: 'string', enum: ['DATAPOOL', 'datapool'] },
    grant: { type: 'string' },
  },
  required: ['id', 'ref'],
};

/** The input and the schemas of a service with an unknown signature. It may take secrets and data pools. */
export const unknownSignature: Derived = {
  input: {
    type: 'object',
    properties: {
      data: ref('InputData'),
      params: ref('InputParams'),
      $secrets: {
        type: 'object',
        description: `Secrets by parameter name. ${sealedOnce}`,
        additionalProperties: secret,
      },
      $tags: tagsMember,
    },
    additionalProperties: { anyOf: [ref('DataPoolReference'), anything('Any JSON value.')] },
  },
  schemas: {
    DataPoolReference: poolReference,
    InputData: anything('Problem data: any JSON value.'),
    InputParams: anything('Parameters that influence evaluation: any JSON value.'),
    ResultResponse: resultResponse({}),
  },
};

/** The input and the schemas according to a signature; null when the signature has no types. */
export function fromSignature({ parameters, result }: Signature): Derived | null {
  const schemas: JsonObject = { ...unknownSignature.schemas };
  const properties: JsonObject = {};
  let known = false;
  for (const [index, one] of parameters.entries()) {
    if (one.kind !== 'data') {
      known ||= one.kind !== 'other';
      continue;
    }
    const name = schemaName(one.name, index);
    const schema = placed(one.schema, name);
    known ||= schema !== null || isExtra(one);
    if (schema !== null) schemas[name] = schema;
    else schemas[name] ??= isExtra(one) ? untyped : anything('Any JSON value.');
    properties[one.name] = ref(name);
  }
  Object.assign(properties, secrets(parameters), pools(parameters), { $tags: tagsMember });
  const required = parameters
    .filter((one) => one.required && one.kind !== 'secret' && !isExtra(one))
    .map(({ name }) => name);
  if (parameters.some((one) => one.required && one.kind === 'secret')) required.push('$secrets');
  if (addResult(result, schemas)) known = true;
  const input = { type: 'object', properties, ...(required.length > 0 && { required }) };
  return known ? { input, schemas } : null;
}

const untyped: JsonObject = {
  description: 'Any JSON value, or a data pool reference. A secret of this name is given in `$secrets` instead.',
  anyOf: [ref('DataPoolReference'), {}],
};

/**
 * Returns whether run() declares the parameter, beside data and params, without a type. It takes a value, a secret or a
 * data pool.
 */
function isExtra({ name, kind, annotation, schema }: Signature['parameters'][number]): boolean {
  return kind === 'data' && (annotation ?? schema ?? null) === null && name !== 'data' && name !== 'params';
}

function schemaName(parameter: string, index: number): string {
  if (parameter === 'data') return 'InputData';
  if (parameter === 'params') return 'InputParams';
  // A Python name may have letters that the name of a component cannot have.
  return `Input.${/^\w+$/.test(parameter) ? parameter : `parameter-${index + 1}`}`;
}

function secrets(parameters: Signature['parameters']): JsonObject {
  const named = parameters.filter((one) => one.kind === 'secret' || isExtra(one));
  const others = parameters.some(({ kind }) => kind === 'other');
  if (named.length === 0 && !others) return {};
  return {
    $secrets: {
      type: 'object',
      description: sealedOnce,
      properties: Object.fromEntries(named.map(({ name }) => [name, secret])),
      required: named.filter((one) => one.required && one.kind === 'secret').map(({ name }) => name),
      additionalProperties: others ? secret : false,
    },
  };
}

function pools(parameters: Signature['parameters']): JsonObject {
  const named = parameters.filter(({ kind }) => kind === 'dataPool');
  return Object.fromEntries(named.map(({ name }) => [name, ref('DataPoolReference')]));
}

/** Adds the schema of the value that run() returns. A value that is no object is served under the key `result`. */
function addResult(schema: unknown, schemas: JsonObject): boolean {
  const result = placed(schema, 'Result');
  const kind = result && kindOf(schema);
  if (!result || !kind) return false;
  // Other members must be allowed, because the HAL members are added.
  const { additionalProperties, ...open } = result;
  schemas['Result'] = additionalProperties === false ? open : result;
  const own =
    kind === 'object' ? ref('Result') : { type: 'object', properties: { result: ref('Result') }, required: ['result'] };
  schemas['ResultResponse'] = resultResponse({ anyOf: [own, ref('Failure')] });
  return true;
}

function resultResponse(more: JsonObject): JsonObject {
  return {
    type: 'object',
    description: 'The result at the root, and two HAL members.',
    ...more,
    properties: resultMembers,
    required: Object.keys(resultMembers),
  };
}

function kindOf(schema: unknown): 'object' | 'other' | null {
  const read = readJson(schema);
  if (!read.ok) return null;
  const type = member(resolved(read.document, read.document), 'type');
  if (type === 'object') return 'object';
  return typeof type === 'string' ? 'other' : null;
}

/**
 * The schema of a parameter as a component of this name. Its inner references are moved there. Null when there is none,
 * or when it is unusable: user code can influence it.
 */
function placed(schema: unknown, name: string): JsonObject | null {
  const read = readJson(schema);
  if (!read.ok || Buffer.byteLength(JSON.stringify(read.document)) > limits.derivedSchemaBytes) return null;
  const moved = move(read.document, read.document, `#/components/schemas/${name}`);
  return isObject(moved) && Object.keys(moved).length > 0 ? moved : null;
}

/** Moves the references of a schema. Undefined when one leads nowhere or outside. readJson bounds the depth. */
function move(node: Json, root: JsonObject, to: string): Json | undefined {
  if (Array.isArray(node)) return all(node.map((item) => move(item, root, to)));
  if (!isObject(node)) return node;
  const reference = node['$ref'];
  if (typeof reference === 'string' && !leadsSomewhere(root, reference)) return undefined;
  if ('$id' in node || '$anchor' in node || '$dynamicRef' in node) return undefined;
  const members = all(membersOf(node).map(([, value]) => move(value, root, to)));
  if (!members) return undefined;
  const moved = Object.fromEntries(Object.keys(node).map((name, index) => [name, members[index] ?? null]));
  if (typeof reference === 'string') moved['$ref'] = to + reference.slice(1);
  return moved;
}

function leadsSomewhere(root: JsonObject, reference: string): boolean {
  return reference === '#' || (reference.startsWith('#/') && atReference(root, reference) !== undefined);
}

function all(values: readonly (Json | undefined)[]): Json[] | undefined {
  return values.some((value) => value === undefined) ? undefined : (values as Json[]);
}
