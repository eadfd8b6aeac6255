import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Value } from '@kethub/workflow';
import type { Subscriber } from '../../../catalog/access/index.ts';
import { Unanswered, type TargetCall, type TargetColumns } from '../../../catalog/on-premise/index.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import type { JobEnvironment } from './job-environment.ts';
import { documentOf } from './fail-job.ts';
import { notTheInterface, RemoteFault } from './remote-fault.ts';
import { readValue } from './service-result.ts';

/** Bytes of an answer that are scanned before the thread is yielded. */
const SLICE = 128 * 1024;

/** The subscriber of a service that runs elsewhere, and its target. */
export type RemoteSubscriber = Subscriber & { readonly target: TargetColumns };

/** A request of a job to its service. */
export interface Ask extends Omit<TargetCall, 'requestId'> {
  /** The operation, as the interface of managed services names it. */
  readonly operation: 'POST /' | 'GET /{id}' | 'GET /{id}/result';
  readonly mostBytes: number;
}

/** Calls a service and returns the JSON of a successful answer. Throws RemoteFault. */
export async function callRemote(
  { targets, platform }: JobEnvironment,
  { id }: WorkflowJobRow,
  subscriber: RemoteSubscriber,
  { operation, mostBytes, ...call }: Ask,
): Promise<Value> {
  const answer = await targets
    .call(subscriber.target, { ...call, requestId: id }, mostBytes)
    .catch((error: unknown) => {
      if (!(error instanceof Unanswered)) throw error;
      if (error.failure === 'TOO_LARGE') throw tooLarge(operation, mostBytes);
      const { message } = error;
      // A start that was sent may have begun: sent again, it could run twice. A running call is not given up for a
      // setting.
      const mayHaveBegun = operation === 'POST /' && (error.failure === 'BROKEN' || error.failure === 'LATE');
      const isTransient = operation !== 'POST /' || error.failure === 'NOT_REACHED';
      const of = { mayHaveBegun, cause: error };
      throw new RemoteFault(message, isTransient, documentOf(platform, error, subscriber), of);
    });
  const { status } = answer;
  const json = await parse(answer.text);
  if (json === 'TOO_LARGE') throw tooLarge(operation, mostBytes);
  const isGood = operation === 'GET /{id}/result' ? status === 200 : status >= 200 && status < 300;
  const what = `The provider's service answered ${operation} with ${status}`;
  if (json && isGood) return json.value;
  const mayHaveBegun = operation === 'POST /' && !wasTurnedAway(status);
  if (json) {
    const of = { isAnswer: true, mayHaveBegun };
    throw new RemoteFault(`${what}.`, isTransient(operation, status), json.value, of);
  }
  const detail = `${what} and ${answer.text === '' ? 'an empty body' : 'a body that is not JSON'}.`;
  if (!isTransient(operation, status)) throw notTheInterface(detail, mayHaveBegun);
  throw new RemoteFault(detail, true, {
    type: 'about:blank',
    title: "The provider's service is not available",
    detail,
  });
}

function tooLarge(operation: Ask['operation'], bytes: number): RemoteFault {
  const advice = operation === 'GET /{id}/result' ? ' Have it write a file, or return less.' : '';
  const detail = `The provider's service answered ${operation} with more than the ${bytes} bytes that a workflow takes.${advice}`;
  const mayHaveBegun = operation === 'POST /';
  return new RemoteFault(detail, false, { type: 'about:blank', title: 'Result too large', detail }, { mayHaveBegun });
}

const tooMuch: ReadonlySet<number> = new Set([408, 425, 429, 503]);

/**
 * Returns whether a status is transient: an overloaded service, or one that restarts. 501 is permanent.
 *
 * A start that failed on the way or inside the service may have begun, so only one that was turned away is sent again.
 */
export function isTransient(operation: Ask['operation'] | 'PUT /{id}/cancel', status: number): boolean {
  return tooMuch.has(status) || (operation !== 'POST /' && status >= 500 && status !== 501);
}

/** Returns whether a service that answers a start with this has certainly not begun. */
function wasTurnedAway(status: number): boolean {
  return (status >= 300 && status < 500) || tooMuch.has(status) || status === 501;
}

/** Parses an answer; null: it is not JSON. */
async function parse(text: string): Promise<{ readonly value: Value } | 'TOO_LARGE' | null> {
  try {
    return await readValue(slicesOf(Buffer.from(text)));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

/** Yields the thread between slices. */
async function* slicesOf(bytes: Buffer): AsyncIterable<Buffer> {
  for (let from = 0; from < bytes.length; from += SLICE) {
    if (from > 0) await nextTurn();
    yield bytes.subarray(from, from + SLICE);
  }
}
