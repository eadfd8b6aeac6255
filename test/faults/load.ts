import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { member, type Answered, type Caller } from '@kethub/server/testing/gateway';
import type { Follower } from './follow.ts';
import { repeat, REPEAT_MS } from './repeat.ts';

/** The load to start, and its treatment. */
export interface Order {
  /** Unique among the orders of a run. */
  readonly number: number;
  readonly input: object;
  /** Milliseconds from its start to its cancellation; null when it is not cancelled. */
  readonly cancelAfterMs: number | null;
  /** Milliseconds before the next one. */
  readonly pauseMs: number;
}

/** An execution that was answered with 201: a promise. */
export interface Promised<O extends Order = Order> {
  readonly order: O;
  readonly id: string;
  /** Its cancellation was accepted before it ended: a promise too. */
  cancelled: boolean;
}

interface LoadReport<O extends Order> {
  readonly promised: readonly Promised<O>[];
  /** One sentence each. */
  readonly wrong: readonly string[];
}

export interface Load<O extends Order> {
  readonly app: Caller;
  readonly orders: Iterable<O>;
  /** Waiting executions are no fault: with so many, the load pauses. */
  readonly mostOpen: number;
  readonly follower: Follower;
  readonly stop: AbortSignal;
}

/**
 * Starts the ordered executions, and cancels some of them, until it is stopped. As the documentation tells callers, it
 * repeats a start without an answer under the same Idempotency-Key.
 */
export async function load<O extends Order>({
  app,
  orders,
  mostOpen,
  follower,
  stop,
}: Load<O>): Promise<LoadReport<O>> {
  const promised: Promised<O>[] = [];
  const wrong: string[] = [];
  const cancels: Promise<void>[] = [];
  const key = `faults ${randomUUID()}`;
  for (const order of orders) {
    if (stop.aborted) break;
    const body = JSON.stringify(order.input);
    const headers = { 'idempotency-key': `${key} ${order.number}` };
    const start = (signal: AbortSignal) => app.request('POST', '/', { body, headers, signal });
    const answer = await repeat(async (limit) => only(201, await start(limit)), stop);
    if (!answer) wrong.push(`the start of ${order.number} was not answered with 201 in ${REPEAT_MS / 1000} s`);
    else {
      const one: Promised<O> = { order, id: member(answer.body, 'id'), cancelled: false };
      promised.push(one);
      follower.follow(one.id);
      if (order.cancelAfterMs !== null) cancels.push(cancel(app, one, order.cancelAfterMs, stop, wrong));
    }
    await pause(order.pauseMs);
    while (follower.open >= mostOpen && !stop.aborted) await pause(50);
  }
  await Promise.all(cancels);
  return { promised, wrong };
}

const ENDED_BEFORE = new Set(['SUCCEEDED', 'FAILED', 'UNKNOWN']);

async function cancel(app: Caller, one: Promised, afterMs: number, stop: AbortSignal, wrong: string[]): Promise<void> {
  await pause(afterMs);
  const ask = (signal: AbortSignal) => app.request('PUT', `/${one.id}/cancel`, { signal });
  const answer = await repeat(async (limit) => only(200, await ask(limit)), stop);
  if (!answer) wrong.push(`the cancellation of ${one.id} was not answered in ${REPEAT_MS / 1000} s`);
  // For an execution that had ended, the answer has its unchanged status.
  one.cancelled = answer !== null && !ENDED_BEFORE.has(member(answer.body, 'status'));
}

function only(expected: number, answer: Answered): Answered | null {
  return answer.status === expected ? answer : null;
}
