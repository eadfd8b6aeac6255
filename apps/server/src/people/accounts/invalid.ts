import { invalidSentence } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';

/** 400 that names one member of the body by JSON Pointer. */
export function invalid(pointer: string, detail: string): Problem {
  const errors = [{ pointer, detail }];
  return new Problem('invalid-request', invalidSentence(errors, 'The body'), { errors });
}
