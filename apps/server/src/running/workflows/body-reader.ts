import { invalidSentence, limits } from '@kethub/contract';
import { parseExact } from '@kethub/workflow';
import { createValidator, type RequestSchema } from '@kethub/service-api/input-rules';
import { Problem, readJson } from '../../foundation/http/index.ts';

/**
 * Returns a function that parses and validates a body of this schema, with every digit of its numbers. It throws
 * too-large, malformed-json, invalid-request.
 */
export function bodyReader<Body>(schema: object, name: 'message' | 'signal'): (text: Buffer) => Promise<Body> {
  const validator = createValidator(JSON.parse(JSON.stringify(schema)) as RequestSchema);
  return async (text) => {
    const bytes = text.length;
    if (bytes > limits.jsonBodyBytes)
      throw new Problem('too-large', `The ${name} has ${bytes} bytes; at most ${limits.jsonBodyBytes} are accepted.`);
    const body = await readJson(text, parseExact);
    if (body === undefined)
      throw new Problem('malformed-json', `The body is empty. Send an object with the name of the ${name}.`);
    const errors = validator.check(body, bytes);
    if (errors.length === 0) return body as Body;
    throw new Problem('invalid-request', invalidSentence(errors.slice(0, 5), `The ${name}`), { errors });
  };
}
