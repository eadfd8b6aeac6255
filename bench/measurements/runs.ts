import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { numpy, trivial } from '../lib/services.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const run = promisify(execFile);
const ROUNDS = 25;
/**
 * Milliseconds between two calls, in which a warm process becomes ready again. Warm starts are for callers that pause.
 */
const PAUSE_MS = 700;

/** From POST to SUCCEEDED against the same code in a bare Python, cold and warm, in turns. */
export async function runs(): Promise<Measurement[]> {
  const services = { Trivial: trivial.files, Numpy: numpy.files };
  const cold = await startServer<PlatformReady>(
    'servers/platform.ts',
    { settings: { KETHUB_WARM_MEMORY_MB: '0' }, services } satisfies Question,
    0,
  );
  const warm = await startServer<PlatformReady>(
    'servers/platform.ts',
    { settings: {}, services } satisfies Question,
    0,
  );
  const layers = path.join(cold.ready.dataDir, 'runtime', 'layers');
  const layer = readdirSync(layers)
    .map((name) => path.join(layers, name))
    .find((folder) => readdirSync(folder).some((name) => name === 'numpy' || name === 'site-packages'));
  const results: Measurement[] = [];
  for (const [name, { line }] of Object.entries({ Trivial: trivial, Numpy: numpy })) {
    const rounds = { bare: [] as number[], cold: [] as number[], warm: [] as number[], ratio: [] as number[] };
    const callers = { cold: await callerAt(cold.ready, name), warm: await callerAt(warm.ready, name) };
    await callers.cold.finish({});
    await callers.warm.finish({});
    for (let round = 0; round < ROUNDS; round++) {
      await pause(PAUSE_MS);
      const bare = await milliseconds(() =>
        run('/usr/bin/python3', ['-c', line], { env: { PYTHONPATH: pythonPath(layer) } }),
      );
      const coldMs = await milliseconds(() => succeed(callers.cold));
      rounds.bare.push(bare);
      rounds.cold.push(coldMs);
      rounds.ratio.push(coldMs / bare);
      rounds.warm.push(await milliseconds(() => succeed(callers.warm)));
    }
    const how = `${ROUNDS} rounds in turns; POST with Prefer: wait, a new process in a new sandbox each time`;
    const label = name === 'Trivial' ? 'a trivial service' : 'a service that imports numpy';
    results.push(
      { name: `Bare python3 -c, ${label}`, unit: 'ms', value: median(rounds.bare), goal: null, how, rounds },
      {
        name: `POST to SUCCEEDED, cold, ${label}`,
        unit: 'ms',
        value: median(rounds.cold),
        goal: null,
        how,
        rounds: {},
      },
      {
        name: `POST to SUCCEEDED, cold, ${label}, against bare Python`,
        unit: '×',
        value: median(rounds.ratio),
        goal: { atMost: 2 },
        how,
        rounds: {},
      },
      {
        name: `POST to SUCCEEDED, warm, ${label}`,
        unit: 'ms',
        value: median(rounds.warm),
        goal: { atMost: 54 },
        how,
        rounds: {},
      },
    );
  }
  await cold.stop();
  await warm.stop();
  return results;
}

async function callerAt(ready: PlatformReady, name: string): Promise<Caller> {
  const service = ready.services[name];
  if (!service) throw new Error(`${name} is not deployed`);
  return callerOf(service);
}

function pythonPath(layer: string | undefined): string {
  if (layer === undefined) throw new Error('The platform has no layer with numpy');
  return [layer, path.join(layer, 'site-packages')].join(':');
}

async function succeed(caller: Caller): Promise<void> {
  const { status } = await caller.finish({});
  if (status !== 'SUCCEEDED') throw new Error(`The execution is ${status}`);
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
