import { setTimeout as pause } from 'node:timers/promises';
import { member, type Caller } from '../../apps/server/src/testing/gateway.ts';
import { MARKS, modes, type Mode } from './service.ts';

/** An execution that was answered with 201: a promise. */
export interface Promised {
  readonly id: string;
  readonly mark: number;
  readonly mode: Mode;
  readonly seconds: number;
}

/** Starts executions of all kinds, and cancels some, until it is told to stop. */
export async function load(app: Caller, random: () => number, stop: AbortSignal, pauseMs: number): Promise<Promised[]> {
  const promised: Promised[] = [];
  const cancels: Promise<void>[] = [];
  for (let mark = 1; mark < MARKS && !stop.aborted; mark++) {
    const mode = modes[Math.floor(random() ** 2 * modes.length)] ?? 'ok';
    const seconds = random() * 0.4;
    // The platform may be gone at this moment: then nothing was promised.
    const answer = await app
      .request('POST', '/', { body: JSON.stringify({ seconds, mark, mode }), signal: AbortSignal.timeout(10_000) })
      .catch(() => null);
    if (answer?.status === 201) {
      const id = member(answer.body, 'id');
      promised.push({ id, mark, mode, seconds });
      if (mode === 'cancel') cancels.push(pause(random() * 300).then(() => cancel(app, id)));
    }
    await pause(random() * pauseMs);
  }
  await Promise.all(cancels);
  return promised;
}

async function cancel(app: Caller, id: string): Promise<void> {
  await app.request('PUT', `/${id}/cancel`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
}
