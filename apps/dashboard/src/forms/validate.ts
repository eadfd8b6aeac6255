import { Validator, type Schema } from '@cfworker/json-schema';
import type { ServiceVersion } from '@kethub/contract';
import { ExactNumber } from '../data/exact-json.ts';
import { atPointer } from './schema.ts';
import type { Values } from './values.ts';

/** Schemas and values within each other that are judged in the browser. */
const DEEPEST = 200;

/** Complaints of the schemas of the parameters, by JSON Pointer. The platform judges once more. */
export function judge(parameters: NonNullable<ServiceVersion['parameters']>, input: Values): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, schema } of parameters) {
    const value = input[name];
    if (value === undefined || typeof schema !== 'object' || schema === null) continue;
    const plain = asDoubles(value);
    if (!isCheap(schema, plain)) continue;
    for (const [pointer, text] of judgeOne(withoutPatterns(schema) as Schema, plain))
      found.set(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`, text);
  }
  return found;
}

function judgeOne(schema: Schema, value: unknown): [string, string][] {
  try {
    const { errors } = new Validator(schema, '2020-12', false).validate(value);
    // The innermost complaints say most: those of the objects around them only repeat that something is wrong inside.
    return errors
      .filter(({ keyword }) => !['properties', '$ref', 'items', 'allOf', 'anyOf', 'oneOf'].includes(keyword))
      .map(({ instanceLocation, error }) => [instanceLocation.replace(/^#/, ''), sentence(error)]);
  } catch {
    // A schema that refers to itself without end, or to another document: the platform judges alone.
    return [];
  }
}

/** Schemas that may be applied to parts of a value in the browser. Beyond them the platform judges alone. */
const MOST_APPLIED = 50_000;
/** Keywords with schemas for the value itself. */
const BESIDE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/** Returns whether a schema is judged in few steps: alternatives within alternatives multiply. */
function isCheap(root: object, given: unknown): boolean {
  let left = MOST_APPLIED;
  const visit = (schema: unknown, value: unknown, depth: number): void => {
    if (left < 0 || typeof schema !== 'object' || schema === null) return;
    left -= depth > DEEPEST ? Infinity : 1;
    const members = schema as Readonly<Record<string, unknown>>;
    const { $ref, properties, additionalProperties, items } = members;
    if (typeof $ref === 'string') visit(atPointer(root, $ref), value, depth + 1);
    for (const keyword of BESIDE)
      for (const one of [members[keyword]].flat()) if (left >= 0) visit(one, value, depth + 1);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const one of value) visit(items, one, depth + 1);
    else
      for (const [name, inner] of Object.entries(value))
        visit((properties as Readonly<Record<string, unknown>>)?.[name] ?? additionalProperties, inner, depth + 1);
  };
  visit(root, given, 0);
  return left >= 0;
}

/** Patterns can take for ever on a hostile text, so they are left to the platform. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => !(name === 'pattern' && typeof value === 'string') && name !== 'patternProperties',
  );
  return Object.fromEntries(members.map(([name, value]) => [name, withoutPatterns(value)]));
}

function asDoubles(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(asDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asDoubles(inner)]));
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
