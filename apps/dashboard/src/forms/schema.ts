import type { ServiceVersion } from '@kethub/contract';

/** JSON Schema as it comes, unknown in every part. */
type Schema = Readonly<Record<string, unknown>>;

interface Common {
  /** Name of the member that the field fills. */
  readonly name: string;
  readonly required: boolean;
  /** Type in words, for example `integer or null`. */
  readonly type: string;
  readonly description: string;
  readonly default: unknown;
}

/** A field of a form. Whatever has no form of its own is edited as JSON. */
export type Field = Common &
  (
    | { readonly kind: 'text' | 'long-text' | 'date' | 'secret' | 'json' | 'data-pool' | 'boolean' }
    | { readonly kind: 'number'; readonly isInteger: boolean }
    | { readonly kind: 'choice'; readonly choices: readonly { readonly label: string; readonly value: unknown }[] }
    | { readonly kind: 'list'; readonly item: 'text' | 'integer' | 'number' }
    | { readonly kind: 'group'; readonly fields: readonly Field[] }
  );

/** Objects within each other that are still shown as a group; deeper ones, and recursive ones, are edited as JSON. */
const DEEPEST_GROUP = 5;
/** Fields of one group. A larger one is edited as JSON, where search and folding do not need one input each. */
const MOST_FIELDS = 200;
/** Fields of one form. Groups beyond them are edited as JSON: definitions that use each other multiply. */
const MOST_IN_FORM = 600;

/** Schemas that are read for one form: `allOf` may refer to itself, or multiply. */
const MOST_READ = 20_000;

/** Levels of `allOf` within `allOf`. */
const DEEPEST_ALL_OF = 50;

/** The document that references point into, and what is left of the limits on all of it. */
interface Document {
  readonly root: Schema;
  fields: number;
  read: number;
}

function open(root: Schema, fields = MOST_IN_FORM): Document {
  return { root, fields, read: MOST_READ };
}

/** The fields of what a version takes, required ones first, in the order of its signature. */
export function fieldsOf(parameters: NonNullable<ServiceVersion['parameters']>): Field[] {
  let left = MOST_IN_FORM;
  const fields = parameters.map(({ name, kind, required, schema, annotation }): Field => {
    const common = { name, required, description: '', default: undefined };
    if (kind === 'secret') return { ...common, kind: 'secret', type: 'secret' };
    if (kind === 'dataPool') return { ...common, kind: 'data-pool', type: 'data pool' };
    if (!isSchema(schema)) return { ...common, kind: 'json', type: annotation ?? 'any JSON' };
    const document = open(schema, left);
    const field = fieldOf(name, schema, required, document, []);
    left = document.fields;
    return field;
  });
  return inOrder(fields);
}

/** The fields of an object schema; null when it is no object with named properties. */
export function fieldsOfObject(schema: unknown): Field[] | null {
  if (!isSchema(schema)) return null;
  const field = fieldOf('', schema, true, open(schema), []);
  return field.kind === 'group' ? [...field.fields] : null;
}

/** `within` has the properties of the groups around the field. */
function fieldOf(
  name: string,
  given: Schema,
  required: boolean,
  document: Document,
  within: readonly unknown[],
): Field {
  const schema = resolve(given, document);
  const alternatives = listOf(schema['anyOf']) ?? listOf(schema['oneOf']);
  const real = alternatives?.filter((one) => one['type'] !== 'null');
  const described = {
    name,
    required,
    description: textOf(given['description']) ?? textOf(schema['description']) ?? '',
    default: given['default'] ?? schema['default'],
  };
  const choices = choicesOf(schema, real);
  if (choices) return { ...described, kind: 'choice', type: 'choice', choices };
  if (real?.length === 1 && real[0] && alternatives) {
    const inner = fieldOf(name, { ...real[0], ...pick(given) }, required, document, within);
    return alternatives.length > 1 ? { ...inner, type: `${inner.type} or null` } : inner;
  }
  if (real) return { ...described, kind: 'json', type: 'any JSON' };
  const types = Array.isArray(schema['type']) ? schema['type'].filter((one) => one !== 'null') : [schema['type']];
  const suffix = Array.isArray(schema['type']) && types.length < schema['type'].length ? ' or null' : '';
  const [type] = types.length === 1 ? types : [undefined];
  switch (type) {
    case 'string':
      return { ...described, kind: textKind(schema), type: `string${suffix}` };
    case 'integer':
    case 'number':
      return { ...described, kind: 'number', isInteger: type === 'integer', type: type + suffix };
    case 'boolean':
      return { ...described, kind: 'boolean', type: `boolean${suffix}` };
    case 'array': {
      const item = isSchema(schema['items']) ? resolve(schema['items'], document)['type'] : undefined;
      if (item === 'string') return { ...described, kind: 'list', item: 'text', type: `list of strings${suffix}` };
      if (item === 'integer' || item === 'number')
        return { ...described, kind: 'list', item, type: `list of ${item}s${suffix}` };
      return { ...described, kind: 'json', type: `list${suffix}` };
    }
    case 'object': {
      const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
      const isDeep = within.length >= DEEPEST_GROUP || within.includes(schema['properties']);
      if (properties.length === 0 || properties.length > Math.min(MOST_FIELDS, document.fields) || isDeep)
        return { ...described, kind: 'json', type: `object${suffix}` };
      document.fields -= properties.length;
      const needed = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
      const fields = properties.flatMap(([member, one]) =>
        isSchema(one) ? [fieldOf(member, one, needed.has(member), document, [...within, schema['properties']])] : [],
      );
      return { ...described, kind: 'group', type: 'object', fields: inOrder(fields) };
    }
    default:
      return { ...described, kind: 'json', type: 'any JSON' };
  }
}

function textKind(schema: Schema): 'text' | 'long-text' | 'date' | 'secret' {
  if (schema['writeOnly'] === true || schema['format'] === 'password') return 'secret';
  if (schema['format'] === 'date') return 'date';
  const longest = schema['maxLength'];
  return typeof longest === 'number' && longest > 400 ? 'long-text' : 'text';
}

/** Follows references inside the document and merges `allOf`. A ring of references ends as an empty schema. */
function resolve(schema: Schema, document: Document, depth = 0): Schema {
  document.read -= 1;
  let present = schema;
  for (let step = 0; typeof present['$ref'] === 'string'; step++) {
    const isEndless = step > 20 || document.read < 0;
    const found = isEndless ? undefined : atPointer(document.root, present['$ref']);
    if (!isSchema(found)) return {};
    const { $ref: _, ...beside } = present;
    present = { ...found, ...beside };
  }
  const parts = listOf(present['allOf']);
  if (!parts) return present;
  const { allOf: _, ...beside } = present;
  if (document.read < 0 || depth >= DEEPEST_ALL_OF) return beside;
  return parts.reduce<Schema>((merged, part) => merge(merged, resolve(part, document, depth + 1)), beside);
}

function merge(one: Schema, other: Schema): Schema {
  const properties = { ...asObject(one['properties']), ...asObject(other['properties']) };
  const required = [one['required'], other['required']].flatMap((list) => (Array.isArray(list) ? list : []));
  return {
    ...other,
    ...one,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function choicesOf(schema: Schema, alternatives: readonly Schema[] | undefined) {
  const values = Array.isArray(schema['enum'])
    ? schema['enum']
    : alternatives && alternatives.length > 0 && alternatives.every((one) => 'const' in one)
      ? alternatives.map((one) => one['const'])
      : null;
  return values?.map((value) => ({ label: typeof value === 'string' ? value : JSON.stringify(value), value })) ?? null;
}

/** The target of a reference within a document; undefined where it leads nowhere. */
export function atPointer(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  const parts = reference.slice(1).split('/').slice(1);
  return parts.reduce<unknown>(
    (at, part) => (isSchema(at) ? at[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  );
}

function pick(schema: Schema): Schema {
  const { description, default: value } = schema;
  return { ...(description !== undefined && { description }), ...(value !== undefined && { default: value }) };
}

function inOrder(fields: readonly Field[]): Field[] {
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function listOf(value: unknown): Schema[] | undefined {
  return Array.isArray(value) ? value.filter(isSchema) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asObject(value: unknown): Schema {
  return isSchema(value) ? value : {};
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
