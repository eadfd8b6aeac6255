import type { ServiceParameter } from '@kethub/contract';
import type { Static } from 'typebox';
import type { RequestSchema } from './schema.ts';

type Parameter = Static<typeof ServiceParameter>;
type Schema = Readonly<Record<string, unknown>>;

interface Reading {
  /** Place of the schema of the parameter in the whole, for its references. */
  readonly at: string;
  readonly isLax: boolean;
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties', 'not'];
const SEVERAL = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];
const NAMED = ['properties', '$defs', 'definitions'];
const AS_IT_IS = [
  'required',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];
/** Types that Pydantic also makes of others. */
const LAX_TYPES: Readonly<Record<string, readonly string[]>> = {
  integer: ['integer', 'boolean', 'string'],
  number: ['number', 'boolean', 'string'],
  boolean: ['boolean', 'number', 'string'],
};
/** Formats of text that Pydantic also makes of numbers. */
const OF_NUMBERS = ['date-time', 'date', 'time', 'duration'];

/**
 * The schema of inputs that a version may run: wider than the published one wherever `run` takes more. Formats and
 * unique items are left to the program, and so is a parameter whose schema does not decide. Null when nothing is judged.
 */
export function acceptedSchema(parameters: readonly Parameter[]): RequestSchema | null {
  const properties: Record<string, unknown> = {};
  const definitions: Record<string, unknown> = {};
  for (const [index, { name, kind, schema, accepts }] of parameters.entries()) {
    if (kind !== 'data' || !isSchema(schema) || (accepts !== 'STRICT' && accepts !== 'LAX')) continue;
    const at = `p${index}`;
    const read = widened(schema, { at: `#/$defs/${at}`, isLax: accepts === 'LAX' });
    // A default of null accepts null, whatever the annotation says.
    definitions[at] = schema['default'] === null ? orNull(read) : read;
    properties[name] = { $ref: `#/$defs/${at}` };
  }
  if (Object.keys(properties).length === 0) return null;
  return { type: 'object', properties, $defs: definitions } as unknown as RequestSchema;
}

function widened(schema: unknown, reading: Reading): Schema | boolean {
  if (!isSchema(schema)) return schema !== false;
  const read: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (AS_IT_IS.includes(keyword)) read[keyword] = value;
    else if (ONE.includes(keyword)) read[keyword] = widened(value, reading);
    else if (SEVERAL.includes(keyword) && Array.isArray(value))
      // Wider alternatives can overlap.
      read[keyword === 'oneOf' ? 'anyOf' : keyword] = value.map((one: unknown) => widened(one, reading));
    else if (NAMED.includes(keyword) && isSchema(value)) read[keyword] = each(value, reading);
  }
  const { $ref: reference, type, multipleOf, pattern } = schema;
  if (typeof reference === 'string') read['$ref'] = reading.at + reference.slice(1);
  if (Number.isInteger(multipleOf) && type === 'integer') read['multipleOf'] = multipleOf;
  if (typeof pattern === 'string' && !pattern.includes('(?')) read['pattern'] = pattern;
  const values = valuesOf(schema, reading);
  if (values) read['enum'] = values;
  else if (type !== undefined) read['type'] = typesOf(schema, reading);
  return joined(read);
}

const each = (schemas: Schema, reading: Reading): Schema =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, widened(one, reading)]));

/** The allowed values, and the names of the members of an enum, which `run` takes as well. */
function valuesOf(schema: Schema, { isLax }: Reading): unknown[] | null {
  const values = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : null;
  if (!values) return null;
  const names = Array.isArray(schema['x-enum-varnames']) ? schema['x-enum-varnames'] : [];
  const texts = isLax ? values.filter((one) => typeof one !== 'string').map(String) : [];
  return [...new Set<unknown>([...values, ...names, ...texts])];
}

function typesOf({ type, format }: Schema, { isLax }: Reading): unknown {
  if (!isLax) return type;
  const types = [type].flat().flatMap((one): readonly unknown[] => LAX_TYPES[String(one)] ?? [one]);
  if (typeof format === 'string' && OF_NUMBERS.includes(format)) types.push('number');
  return [...new Set(types)];
}

/** `X or null` as one schema with two types, where X has a type: its errors are easier to read. */
function joined(schema: Schema): Schema {
  const { anyOf: alternatives, ...beside } = schema;
  if (!Array.isArray(alternatives) || alternatives.length !== 2) return schema;
  const real: unknown = alternatives.find((one: unknown) => !isNull(one));
  if (!alternatives.some(isNull) || !isSchema(real) || real['type'] === undefined) return schema;
  return { ...beside, ...orNull(real) };
}

function orNull(schema: Schema | boolean): Schema {
  if (typeof schema === 'boolean' || schema['type'] === undefined) return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [...new Set([schema['type'], 'null'].flat())] };
}

const isNull = (schema: unknown): boolean => isSchema(schema) && schema['type'] === 'null';

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
