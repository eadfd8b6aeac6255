import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import type { FastifyValidationResult } from 'fastify/types/schema.js';

/**
 * Compiles the schemas of an endpoint on first use. Fastify compiles all of them at once, which costs seconds of each
 * start and memory for answers that are never sent.
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

/** Replaces Fastify's validator, which coerces the types of body members and removes unknown ones. */
function useValidators(app: FastifyInstance): void {
  const create = (coerceTypes: boolean | 'array'): Ajv2020 => {
    const ajv = new Ajv2020({
      coerceTypes,
      useDefaults: true,
      removeAdditional: false,
      strict: false,
      allErrors: false,
      // A test judges the schemas: to do it at each start would compile the schema of schemas.
      validateSchema: false,
    });
    addFormats.default(ajv);
    return ajv;
  };
  const body = create(false);
  const other = create('array');
  /** Adds the shared schemas. Ajv compiles one when another refers to it; `getSchema` would compile each. */
  const shareWith = (ajv: Ajv2020): void => {
    for (const [id, shared] of Object.entries(app.getSchemas()))
      if (!(id in ajv.schemas)) ajv.addSchema(shared as object, id);
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

/** The shared schemas that a schema refers to, directly or through others. */
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
