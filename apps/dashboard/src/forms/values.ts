import { ExactNumber, parseExact } from '../data/exact-json.ts';
import type { Field } from './schema.ts';

/** Members by name. A member that is absent is not sent. */
export type Values = Readonly<Record<string, unknown>>;

/** Text of an input that is not the JSON or the number that its field asks for. It is kept as it was typed. */
export class Unfinished {
  readonly text: string;
  readonly complaint: string;
  constructor(text: string, complaint: string) {
    this.text = text;
    this.complaint = complaint;
  }
}

/** `values` with another member; `undefined` removes it. */
export function withMember(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...others } = values;
  return value === undefined ? others : { ...others, [name]: value };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The number that a text says, every digit kept. An empty text is an absent member. */
export function numberOf(text: string, isInteger: boolean): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!NUMBER.test(trimmed)) return new Unfinished(text, 'This is not a number.');
  if (isInteger && !/^-?\d+$/.test(trimmed)) return new Unfinished(text, 'This is not a whole number.');
  // 1.0 is kept as it was typed: the next key may make it 1.05.
  return String(Number(trimmed)) === trimmed ? Number(trimmed) : new ExactNumber(trimmed);
}

/** The value that a JSON text says. An empty text is an absent member. */
export function jsonOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return parseExact(text);
  } catch (error) {
    return new Unfinished(text, error instanceof Error ? error.message : 'This is not JSON.');
  }
}

export function listOf(text: string, item: 'text' | 'integer' | 'number'): unknown {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
  if (parts.length === 0) return undefined;
  const values = item === 'text' ? parts : parts.map((part) => numberOf(part, item === 'integer'));
  const wrong = values.find((value) => value instanceof Unfinished);
  return wrong instanceof Unfinished ? new Unfinished(text, wrong.complaint) : values;
}

/** The text of an input field for a value. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Unfinished) return value.text;
  if (typeof value === 'string') return value;
  return value instanceof ExactNumber ? value.text : JSON.stringify(value);
}

/** Values to begin with: the defaults of the schema, nested ones as well. */
export function defaultsOf(fields: readonly Field[]): Values {
  const entries = fields.flatMap((field): [string, unknown][] => {
    if (field.default !== undefined && field.default !== null) return [[field.name, field.default]];
    if (field.kind !== 'group') return [];
    const inner = defaultsOf(field.fields);
    return Object.keys(inner).length > 0 ? [[field.name, inner]] : [];
  });
  return Object.fromEntries(entries);
}

/** An input to begin with: the defaults, and for whatever else is needed a value of its type. */
export function sampleOf(fields: readonly Field[]): Values {
  const needed = fields.filter((field) => field.required || (field.default ?? null) !== null);
  const entries = needed.map((field): [string, unknown] => [field.name, field.default ?? emptyOf(field)]);
  return inputOf(fields, Object.fromEntries(entries));
}

function emptyOf(field: Field): unknown {
  switch (field.kind) {
    case 'group':
      return sampleOf(field.fields);
    case 'list':
      return [];
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return field.choices[0]?.value;
    case 'json':
      return {};
    case 'data-pool':
      return { ref: 'DATAPOOL', id: '…' };
    default:
      return '…';
  }
}

/** Complaints by JSON Pointer: what is missing or unfinished. */
export function complaintsOf(fields: readonly Field[], values: Values, at = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const field of fields) {
    const pointer = `${at}/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const value = values[field.name];
    if (value instanceof Unfinished) found.set(pointer, value.complaint);
    else if (field.kind === 'group' && isValues(value))
      for (const [inner, text] of complaintsOf(field.fields, value, pointer)) found.set(inner, text);
    else if (field.required && value === undefined) {
      // Names the first missing member of a group, so that there is a field to focus.
      const inner = field.kind === 'group' ? complaintsOf(field.fields, {}, pointer) : new Map<string, string>();
      if (inner.size > 0) for (const [pointer, text] of inner) found.set(pointer, text);
      else if (field.kind === 'group') continue;
      else found.set(pointer, 'This is needed.');
    }
  }
  return found;
}

/** The input that is sent: a required group in which nothing is set is an empty object, and secrets stand apart. */
export function inputOf(fields: readonly Field[], values: Values): Values {
  const body: Record<string, unknown> = {};
  const secrets: Record<string, unknown> = {};
  const known = new Set(fields.map(({ name }) => name));
  for (const field of fields) {
    const value = values[field.name];
    if (field.kind === 'secret') {
      if (value !== undefined) secrets[field.name] = value;
    } else if (field.kind === 'group' && (isValues(value) || field.required))
      body[field.name] = inputOf(field.fields, isValues(value) ? value : {});
    else if (value !== undefined) body[field.name] = value;
  }
  for (const [name, value] of Object.entries(values)) if (!known.has(name)) body[name] = value;
  return Object.keys(secrets).length > 0 ? { ...body, $secrets: secrets } : body;
}

export function isValues(value: unknown): value is Values {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber) &&
    !(value instanceof Unfinished)
  );
}
