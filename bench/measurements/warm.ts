import { setTimeout as pause } from 'node:timers/promises';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { scientific } from '../lib/services.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 10;
const COLD_ROUNDS = 3;
/** Milliseconds until a process with all imports waits again. qiskit takes longest. */
const PAUSE_MS = 2_000;

/** From POST to SUCCEEDED, with a new process in a new sandbox each time, for imports of scientific services. */
export async function warm(): Promise<Measurement[]> {
  const results: Measurement[] = [];
  const asked = { settings: {}, services: scientific } satisfies Question;
  const platform = await startServer<PlatformReady>('servers/platform.ts', asked, 0);
  for (const name of Object.keys(scientific)) {
    const service = platform.ready.services[name];
    if (!service) throw new Error(`${name} is not deployed`);
    const caller = await callerOf(service);
    await succeed(caller);
    const rounds = { warm: [] as number[], next: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      await pause(PAUSE_MS);
      rounds.warm.push(await milliseconds(caller));
      // At once, because the waiting process is used up.
      if (round < COLD_ROUNDS) rounds.next.push(await milliseconds(caller));
    }
    const how = `${ROUNDS} rounds, ${PAUSE_MS / 1000} s apart; POST with Prefer: wait`;
    const what = `a service that imports ${name}`;
    results.push(
      { name: `POST to SUCCEEDED, warm, fresh process, ${what}`, unit: 'ms', value: median(rounds.warm), goal: { atMost: 54 }, how, rounds },
      { name: `POST to SUCCEEDED, no process waits, ${what}`, unit: 'ms', value: median(rounds.next), goal: null, how, rounds: {} },
    );
  }
  await platform.stop();
  return results;
} // prettier-ignore

async function succeed(caller: Caller): Promise<void> {
  const { status } = await caller.finish({});
  if (status !== 'SUCCEEDED') throw new Error(`The execution is ${status}`);
}

async function milliseconds(caller: Caller): Promise<number> {
  const began = performance.now();
  await succeed(caller);
  return performance.now() - began;
}
