import type { ValidationError } from '@kethub/contract';
import { Problem } from '../../../foundation/http/index.ts';
import { createLastingThread } from '../../../foundation/process/index.ts';
import { createValidator, type RequestSchema } from './request-schema.ts';
import { weigh } from './request-weight.ts';

/** Weight of the schema × bytes of the input: what takes no more than milliseconds is done at once. */
const LIGHT = 4_000_000;
/** Of one schema, so that the inputs of one workflow do not keep those of all others waiting. */
const MOST_WAITING = 16;

export interface AskedOfThread {
  /** Of the schema, under which its validator is remembered. */
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
  /** Places at which the input, which `read` gives, does not fit; none when it does. Throws invalid-request, too-many-requests. */
  check(read: () => Promise<unknown>, text: Uint8Array): Promise<ValidationError[]>;
}

let schemas = 0;

/** Judges inputs by a Request Schema; where that may take long, beside what else this process does, and not for longer than it may. */
export function createRequestCheck(schema: RequestSchema): RequestCheck {
  const number = ++schemas;
  const weight = weigh(schema);
  const validator = createValidator(schema);
  let waiting = 0;
  let mostWaiting = MOST_WAITING;
  return {
    async check(read, text) {
      if (weight * text.length <= LIGHT) return validator.check(await read(), text.length);
      if (waiting >= mostWaiting) throw busy();
      waiting++;
      const judged = await thread({ number, schema, text }).finally(() => waiting--);
      if (judged === 'BUSY') throw busy();
      if (judged !== 'EXCEEDED' && judged.answer !== null) return judged.answer;
      // From now on one after the other: this one takes the time of all others.
      mostWaiting = 1;
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
