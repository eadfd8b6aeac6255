import type { ValidationError } from '@kethub/contract';
import { Problem } from '../../../foundation/http/index.ts';
import { createLastingThread } from '../../../foundation/process/index.ts';
import { createValidator, type RequestSchema } from '@kethub/service-api/input-rules';
import { weigh } from './request-weight.ts';

/** Weight of the schema × bytes of the input, some milliseconds of work. A heavier check runs in a thread. */
const LIGHT = 4_000_000;
/**
 * Inputs of one schema that may wait for the thread, so that one workflow does not block the others. More are refused.
 */
const MOST_WAITING = 16;

export interface AskedOfThread {
  /** Number of the schema, by which the thread caches its validator. */
  readonly number: number;
  readonly schema: RequestSchema;
  /** JSON text in UTF-8. */
  readonly text: Uint8Array;
}

const thread = createLastingThread<AskedOfThread, ValidationError[] | null>(
  new URL('request-thread.ts', import.meta.url),
  {
    limitMs: 3_000,
    memoryMb: 512,
    waiting: 64,
  },
);

export interface RequestCheck {
  /** Errors of the input that `read` returns; empty if it is valid. Throws invalid-request and too-many-requests. */
  check(read: () => Promise<unknown>, text: Uint8Array): Promise<ValidationError[]>;
  /** The same, and BUSY or EXCEEDED where `check` throws. */
  judge(read: () => Promise<unknown>, text: Uint8Array): Promise<ValidationError[] | 'BUSY' | 'EXCEEDED'>;
}

let schemas = 0;

/** Checks inputs against a Request Schema. A check that may take long runs in a thread, with a time limit. */
export function createRequestCheck(schema: RequestSchema): RequestCheck {
  const number = ++schemas;
  const weight = weigh(schema);
  const validator = createValidator(schema);
  let waiting = 0;
  let mostWaiting = MOST_WAITING;
  const judge: RequestCheck['judge'] = async (read, text) => {
    if (weight * text.length <= LIGHT) return validator.check(await read(), text.length);
    if (waiting >= mostWaiting) return 'BUSY';
    waiting++;
    const judged = await thread({ number, schema, text }).finally(() => waiting--);
    if (judged === 'BUSY') return 'BUSY';
    if (judged !== 'EXCEEDED' && judged.answer !== null) return judged.answer;
    // From now on only one input of this schema may wait, because its checks delay all others.
    mostWaiting = 1;
    return 'EXCEEDED';
  };
  return {
    judge,
    async check(read, text) {
      const judged = await judge(read, text);
      if (judged === 'BUSY') throw busy();
      if (judged !== 'EXCEEDED') return judged;
      const message =
        'The input takes too long, or too much memory, to be checked against the Request Schema. Send less, or have the workflow ask for less with uniqueItems and references.';
      throw new Problem('invalid-request', message);
    },
  };
}

function busy(): Problem {
  return new Problem('too-many-requests', 'Other inputs of this size are being checked. Try again in a moment.', {
    headers: { 'retry-after': '2' },
  });
}
