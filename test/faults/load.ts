import { setTimeout as pause } from 'node:timers/promises';
import { member, type Answered, type Caller } from '../../apps/server/src/testing/gateway.ts';
import { wishOf, type Wish } from './decisions.ts';
import type { Follower } from './follow.ts';
import { MARKS, PADDING } from './service.ts';

/** An execution that was answered with 201: a promise. */
export interface Promised extends Wish {
  readonly id: string;
  /** Its cancellation was answered with 200: a promise too. */
  cancelled: boolean;
}

export interface LoadReport {
  readonly promised: readonly Promised[];
  /** One sentence each. */
  readonly wrong: readonly string[];
}

/** Waiting executions are no fault: the load waits while there are as many. */
const MOST_OPEN = 40;
/** How long a request is repeated once nothing breaks any more. */
const PATIENCE_MS = 30_000;

/**
 * Starts executions of all kinds, and cancels some, until it is told to stop. As the documentation tells callers to, it
 * repeats a start without an answer under the same Idempotency-Key.
 */
export async function load(
  app: Caller,
  seed: number,
  longestPauseMs: number,
  follower: Follower,
  stop: AbortSignal,
): Promise<LoadReport> {
  const promised: Promised[] = [];
  const wrong: string[] = [];
  const cancels: Promise<void>[] = [];
  const key = `faults ${seed} ${Date.now()}`;
  for (let mark = 1; mark < MARKS && !stop.aborted; mark++) {
    const wish = wishOf(seed, mark, longestPauseMs);
    const { mode, seconds } = wish;
    const body = JSON.stringify({ seconds, mark, mode, ...(mode === 'large' && { padding: PADDING }) });
    const headers = { 'idempotency-key': `${key} ${mark}` };
    const answer = await repeat(() => app.request('POST', '/', { body, headers, signal: limit() }), [201], stop);
    if (!answer) wrong.push(`the start of mark ${mark} was not answered with 201 in ${PATIENCE_MS / 1000} s`);
    else {
      const one: Promised = { ...wish, id: member(answer.body, 'id'), cancelled: false };
      promised.push(one);
      follower.follow(one.id);
      if (mode === 'cancel' || mode === 'stubborn') cancels.push(cancel(app, one, stop, wrong));
    }
    await pause(wish.pauseMs);
    while (follower.open >= MOST_OPEN && !stop.aborted) await pause(50);
  }
  await Promise.all(cancels);
  return { promised, wrong };
}

async function cancel(app: Caller, one: Promised, stop: AbortSignal, wrong: string[]): Promise<void> {
  await pause(one.cancelAfterMs);
  const answer = await repeat(() => app.request('PUT', `/${one.id}/cancel`, { signal: limit() }), [200, 409], stop);
  if (!answer) wrong.push(`the cancellation of ${one.id} was not answered in ${PATIENCE_MS / 1000} s`);
  one.cancelled = answer?.status === 200;
}

function limit(): AbortSignal {
  return AbortSignal.timeout(10_000);
}

/** Asks again until it is answered as expected; null when it is not although nothing breaks any more. */
async function repeat(
  ask: () => Promise<Answered>,
  expected: readonly number[],
  stop: AbortSignal,
): Promise<Answered | null> {
  for (let since = Number.POSITIVE_INFINITY; performance.now() - since < PATIENCE_MS;) {
    const answer = await ask().catch(() => null);
    if (answer && expected.includes(answer.status)) return answer;
    if (stop.aborted) since = Math.min(since, performance.now());
    await pause(50);
  }
  return null;
}
