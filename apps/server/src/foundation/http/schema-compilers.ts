import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import type { FastifyValidationResult } from 'fastify/types/schema.js';

/**
 * Compiles the schemas of endpoints when they are first used: all at once, as Fastify does, costs seconds of every start
 * and memory for answers that are never given.
 */
export function useSchemaCompilers(app: FastifyInstance): void {
  useValidators(app);
  app.setSerializerCompiler(({ schema }) => {
    let serialize: ((document: unknown) => string) | null = null;
    return (document) => {
      serialize ??= fastJsonStringify(schema as Schema, { schema: referenced(schema, app.getSchemas()) });
      return serialize(document);
    };
  });
}

/** Fastify's own validator coerces body types and drops unknown members; a body here must be what it claims to be. */
function useValidators(app: FastifyInstance): void {
  const create = (coerceTypes: boolean | 'array'): Ajv2020 => {
    const ajv = new Ajv2020({
      coerceTypes,
      useDefaults: true,
      removeAdditional: false,
      strict: false,
      allErrors: false,
    });
    addFormats.default(ajv);
    return ajv;
  };
  const body = create(false);
  const other = create('array');
  const shareWith = (ajv: Ajv2020): void => {
    for (const [id, shared] of Object.entries(app.getSchemas()))
      if (!ajv.getSchema(id)) ajv.addSchema(shared as object, id);
  };
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? body : other;
    let validate: ValidateFunction | null = null;
    const validateLazily: FastifyValidationResult = (value: unknown) => {
      if (!validate) {
        shareWith(ajv);
        validate = ajv.compile(schema as object);
      }
      const valid = validate(value);
      validateLazily.errors = validate.errors ?? null;
      return valid;
    };
    return validateLazily;
  });
}

/** Of the shared schemas those that a schema names, and those that these name. */
function referenced(schema: unknown, shared: Readonly<Record<string, unknown>>): Record<string, Schema> {
  const found = new Map<string, Schema>();
  const search = (within: unknown): void => {
    for (const [, id = ''] of JSON.stringify(within).matchAll(/"\$ref":"([^"#]+)/g)) {
      const named = shared[id];
      if (!named || found.has(id)) continue;
      found.set(id, named as Schema);
      search(named);
    }
  };
  search(schema);
  return Object.fromEntries(found);
}
