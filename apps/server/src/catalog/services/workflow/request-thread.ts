import { parentPort } from 'node:worker_threads';
import type { ValidationError } from '@kethub/contract';
import type { AskedOfThread } from './check-request.ts';
import { createValidator, type RequestValidator } from './request-schema.ts';

const REMEMBERED = 100;
const validators = new Map<number, RequestValidator>();

/** In a thread of its own: see check-request.ts. Null: it cannot be judged. */
function judge({ number, schema, text }: AskedOfThread): ValidationError[] | null {
  const validator = validators.get(number) ?? createValidator(schema);
  if (validators.size >= REMEMBERED) validators.clear();
  validators.set(number, validator);
  try {
    return validator.check(JSON.parse(Buffer.from(text).toString()), text.length);
  } catch (error) {
    // A schema that leads round in one place needs more room than there is.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.on('message', (asked: AskedOfThread) => parentPort?.postMessage(judge(asked)));
parentPort?.postMessage('ready');
