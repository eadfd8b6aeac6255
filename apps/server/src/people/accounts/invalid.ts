import { invalidSentence } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

/** The problem 400 for one member of the body, named by JSON Pointer. */
export function invalid(pointer: string, detail: string): Problem {
  const errors = [{ pointer, detail }];
  return new Problem('invalid-request', invalidSentence(errors, 'The body'), { errors });
}
