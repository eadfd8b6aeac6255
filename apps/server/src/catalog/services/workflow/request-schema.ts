import type { Problem as WorkflowProblem, Value } from '@kethub/workflow';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { validationErrorOf, type ValidationError } from '@kethub/contract';
import addFormatsTo from 'ajv-formats';
import { RE2JS } from 're2js';

export type RequestSchema = { readonly [keyword: string]: Value };

const SCHEMA_BYTES = 256 * 1024;
const SCHEMA_DEPTH = 32;
const SCHEMA_KEYWORDS = 5_000;
/** Above this only the first place is told: an error per element of a long list would fill the memory. */
const ALL_ERRORS_BYTES = 256 * 1024;
const MAX_ERRORS = 100;
const formats = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
  'json-pointer',
] as const;

/** ajv-formats is a CommonJS module whose default export is the function itself. */
const addFormats = addFormatsTo as unknown as (ajv: Ajv2020, formats: string[]) => void;

/** Linear in the length of the text, whatever the pattern; look-around and back-references are refused. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // Patterns are told apart by what they are as text: without it, all of them would be the first one of the schemas' own.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linear' },
);

function ajv(allErrors: boolean): Ajv2020 {
  const made = new Ajv2020({
    allErrors,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    // Otherwise what it cannot compile goes to stderr, generated code included.
    logger: false,
    code: { regExp: linear },
  });
  addFormats(made, [...formats]);
  made.addKeyword('example');
  return made;
}

/** Compiled when it is first used. */
export interface RequestValidator {
  /** Every place at which the input does not fit; none when it does. */
  check(input: unknown, bytes: number): ValidationError[];
}

export function createValidator(schema: RequestSchema): RequestValidator {
  const compiled = new Map<boolean, ValidateFunction>();
  const validator = (all: boolean): ValidateFunction => {
    const known = compiled.get(all) ?? ajv(all).compile(schema);
    compiled.set(all, known);
    return known;
  };
  return {
    check(input, bytes) {
      const validate = validator(bytes <= ALL_ERRORS_BYTES);
      if (validate(input)) return [];
      return (validate.errors ?? []).slice(0, MAX_ERRORS).map((error) => {
        const { pointer, detail } = validationErrorOf(error);
        return { pointer, detail: detail.slice(0, 500) };
      });
    },
  };
}

/** Why a Request Schema cannot be used. It is compiled, so this belongs into a thread of its own. */
export function problemsOfSchema(schema: RequestSchema, elementId: string | null): WorkflowProblem[] {
  const refused = (message: string): WorkflowProblem[] => [
    { elementId, code: 'REQUEST_SCHEMA', message: `The Request Schema ${message}` },
  ];
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > SCHEMA_BYTES) return refused(`has ${bytes} bytes; at most ${SCHEMA_BYTES} are allowed.`);
  const { depth, keywords } = measure(schema, 0);
  if (depth > SCHEMA_DEPTH) return refused(`is nested more than ${SCHEMA_DEPTH} deep.`);
  if (keywords > SCHEMA_KEYWORDS) return refused(`has more than ${SCHEMA_KEYWORDS} members.`);
  const { type } = schema;
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    return refused('must be one of an object ("type": "object"): the input of a service is an object.');
  try {
    ajv(true).compile(schema);
    // Whether it can be asked at all: one that refers to itself in one place never ends.
    ajv(false).compile(schema)({});
    return [];
  } catch (error) {
    if (error instanceof RangeError) return refused('cannot be used: it refers to itself without end.');
    const reason = error instanceof Error ? error.message : String(error);
    return refused(`cannot be used: ${reason.slice(0, 500)}.`);
  }
}

function measure(value: Value, depth: number): { depth: number; keywords: number } {
  if (depth > SCHEMA_DEPTH || typeof value !== 'object' || value === null) return { depth, keywords: 1 };
  const inner = Object.values(value).map((one: Value) => measure(one, depth + 1));
  return {
    depth: Math.max(depth, ...inner.map((one) => one.depth)),
    keywords: inner.reduce((sum, one) => sum + one.keywords, 1),
  };
}
