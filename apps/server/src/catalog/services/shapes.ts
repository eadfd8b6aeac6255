import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { validationErrorOf, invalidSentence } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

const ajv = new Ajv2020({ strict: false, useDefaults: true });

/** Validates a value that an operation reads itself, and fills in defaults. Throws invalid-request with all errors. */
export function shapeOf<T extends TSchema>(schema: T, what: string): (value: unknown) => Static<T> {
  const valid = ajv.compile<Static<T>>(JSON.parse(JSON.stringify(schema)) as object);
  return (value) => {
    if (valid(value)) return value;
    const errors = (valid.errors ?? []).map(validationErrorOf);
    throw new Problem('invalid-request', invalidSentence(errors, `The ${what}`), { errors });
  };
}
