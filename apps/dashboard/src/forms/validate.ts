import { Validator, type Schema } from '@cfworker/json-schema';
import type { ServiceVersion } from '@kethub/contract';
import { ExactNumber } from '../data/exact-json.ts';
import type { Values } from './values.ts';

/** Complaints of the schemas of the parameters, by JSON Pointer. The platform judges once more. */
export function judge(parameters: NonNullable<ServiceVersion['parameters']>, input: Values): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, schema } of parameters) {
    const value = input[name];
    if (value === undefined || typeof schema !== 'object' || schema === null) continue;
    for (const [pointer, text] of judgeOne(withoutPatterns(schema) as Schema, asDoubles(value)))
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
