import { Problem } from '../http/index.ts';

/** 400 that names one place of the body by JSON Pointer. */
export function invalid(pointer: string, detail: string): Problem {
  return new Problem('invalid-request', `The body is not as expected: ${pointer} ${detail}.`, {
    errors: [{ pointer, detail }],
  });
}
