import type { TSchema } from 'typebox';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Splits a schema at every nested schema that has an `$id`, so that each is registered and documented once.
 * Returns the schema with references in their place; the named ones are added to `named`.
 */
export function byReference(schema: TSchema, named: Map<string, object>): object {
  const walked = walk(toJson(schema), named);
  return typeof walked === 'object' && walked !== null ? walked : {};
}

/** Plain JSON of a TypeBox schema: its hidden markers are not part of JSON Schema. */
function toJson(schema: TSchema): Json {
  return JSON.parse(JSON.stringify(schema)) as Json;
}

function walk(node: Json, named: Map<string, object>): Json {
  if (Array.isArray(node)) return node.map((item) => walk(item, named));
  if (node === null || typeof node !== 'object') return node;
  const { $id, ...rest } = node;
  const body = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, walk(value, named)]));
  leaveOutDefaults(body);
  if (typeof $id !== 'string') return body;
  if (!named.has($id)) named.set($id, { $id, ...body });
  return { $ref: `${$id}#` };
}

/** Removes members with a default from `required`: a request may leave them out. */
function leaveOutDefaults(schema: { [key: string]: Json }): void {
  const { properties, required } = schema;
  if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return;
  const members = new Map(Object.entries(properties));
  const has = (name: Json): boolean => {
    const member = typeof name === 'string' ? members.get(name) : undefined;
    return typeof member === 'object' && member !== null && 'default' in member;
  };
  schema['required'] = required.filter((name) => !has(name));
}
