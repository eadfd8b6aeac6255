import { parentPort } from 'node:worker_threads';
import type { ValidationError } from '@kethub/contract';
import type { AskedOfThread } from './check-request.ts';
import { createValidator, type RequestValidator } from '@kethub/service-api/input-schema';

/** Validators cached. One more empties the cache. */
const MAX_CACHED = 100;
const validators = new Map<number, RequestValidator>();

/** Validates an input. Runs in its own thread, see check-request.ts. Null if the validation overflows the stack. */
function judge({ number, schema, text }: AskedOfThread): ValidationError[] | null {
  const validator = validators.get(number) ?? createValidator(schema);
  if (validators.size >= MAX_CACHED) validators.clear();
  validators.set(number, validator);
  try {
    return validator.check(JSON.parse(Buffer.from(text).toString()), text.length);
  } catch (error) {
    // A schema that refers to itself overflows the stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

// oxlint-disable unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.on('message', (asked: AskedOfThread) => parentPort?.postMessage(judge(asked)));
parentPort?.postMessage('ready');
