import type { JsonValue } from '@kethub/feel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ValidationError } from '@kethub/contract';
import { validationErrorOf } from '@kethub/contract/validation-errors';
import addFormatsTo from 'ajv-formats';
import { RE2JS } from 're2js';

export type RequestSchema = { readonly [keyword: string]: JsonValue };

/** Limits of a Request Schema. A larger one is a problem of the workflow. */
const SCHEMA_BYTES = 256 * 1024;
const SCHEMA_DEPTH = 32;
const SCHEMA_KEYWORDS = 5_000;
/** Bytes of an input. For a longer one only the first error is reported: one for each element could fill the memory. */
const ALL_ERRORS_BYTES = 256 * 1024;
/** Errors that are reported for one input. Further ones are left out. */
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

/** Regular expressions in linear time. Look-around and back-references are refused. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // ajv identifies patterns by their text. Without `toString` it would use the first pattern for all of them.
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
    // The rules of all schemas take 50 ms to be compiled; `requireSchema` does it once.
    validateSchema: false,
    // Otherwise ajv writes generated code that does not compile to stderr.
    logger: false,
    code: { regExp: linear },
  });
  addFormats(made, [...formats]);
  made.addKeyword('example');
  return made;
}

let rules: Ajv2020 | undefined;

/** Throws what a schema has that JSON Schema 2020-12 does not allow. */
function requireSchema(schema: RequestSchema): void {
  rules ??= ajv(true);
  if (rules.validateSchema(schema) !== true) throw new Error(`schema is invalid: ${rules.errorsText()}`);
}

/** Validator of a Request Schema. It is compiled when it is first used. */
export interface RequestValidator {
  /** The errors of an input; empty if it is valid. */
  check(input: unknown, bytes: number): ValidationError[];
}

/** @param schema one in which `problemOfSchema` finds no problem. */
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

/** The problem of a Request Schema in a sentence, or null. Call it in a thread, because it compiles the schema. */
export function problemOfSchema(schema: RequestSchema): string | null {
  const refused = (message: string): string => `The Request Schema ${message}`;
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > SCHEMA_BYTES) return refused(`has ${bytes} bytes; at most ${SCHEMA_BYTES} are allowed.`);
  const { depth, keywords } = measure(schema, 0);
  if (depth > SCHEMA_DEPTH) return refused(`is nested more than ${SCHEMA_DEPTH} deep.`);
  if (keywords > SCHEMA_KEYWORDS) return refused(`has more than ${SCHEMA_KEYWORDS} members.`);
  const { type } = schema;
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    return refused('must be one of an object ("type": "object"): the input of a service is an object.');
  try {
    requireSchema(schema);
    ajv(true).compile(schema);
    // Finds schemas that refer to themselves without end: their validation overflows the stack.
    ajv(false).compile(schema)({});
    return null;
  } catch (error) {
    if (error instanceof RangeError) return refused('cannot be used: it refers to itself without end.');
    const reason = error instanceof Error ? error.message : String(error);
    return refused(`cannot be used: ${reason.slice(0, 500)}.`);
  }
}

function measure(value: JsonValue, depth: number): { depth: number; keywords: number } {
  if (depth > SCHEMA_DEPTH || typeof value !== 'object' || value === null) return { depth, keywords: 1 };
  const inner = Object.values(value).map((one: JsonValue) => measure(one, depth + 1));
  return {
    depth: Math.max(depth, ...inner.map((one) => one.depth)),
    keywords: inner.reduce((sum, one) => sum + one.keywords, 1),
  };
}
