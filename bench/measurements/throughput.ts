import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { callerOf } from '../../apps/server/src/testing/gateway.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { numpy, trivial } from '../lib/services.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const run = promisify(execFile);
const ROUNDS = 5;
const EXECUTIONS = 60;
/** As many at the same time as there are cores. */
const AT_ONCE = 2;

/** Executions a second on two cores, each a new process in a new sandbox, against as many bare processes with the same code. */
export async function throughput(): Promise<Measurement[]> {
  const services = { Trivial: trivial.files, Numpy: numpy.files };
  const settings = { KETHUB_WARM_MEMORY_MB: '0', KETHUB_MAX_CONCURRENT_EXECUTIONS: String(AT_ONCE) };
  const question: Question = { settings, services };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, '0,1');
  const layers = path.join(platform.ready.dataDir, 'runtime', 'layers');
  const [layer = ''] = readdirSync(layers).map((name) => path.join(layers, name));
  const results: Measurement[] = [];
  for (const [name, { line }] of Object.entries({ Trivial: trivial, Numpy: numpy })) {
    const service = platform.ready.services[name];
    if (!service) throw new Error(`${name} is not deployed`);
    const app = await callerOf(service);
    const finish = async (): Promise<void> => {
      const { status } = await app.finish({});
      if (status !== 'SUCCEEDED') throw new Error(`The execution is ${status}`);
    };
    const bare = () => run('/usr/bin/python3', ['-c', line], { env: { PYTHONPATH: layer } });
    await finish();
    const rounds = { bare: [] as number[], platform: [] as number[], ratio: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      const bareRate = await rate(bare, AT_ONCE);
      // One more waits than runs, so that a place that becomes free is taken at once.
      const platformRate = await rate(finish, 2 * AT_ONCE);
      rounds.bare.push(bareRate);
      rounds.platform.push(platformRate);
      rounds.ratio.push(bareRate / platformRate);
    }
    const what = name === 'Trivial' ? 'a trivial service' : 'a service that imports numpy';
    const how = `${ROUNDS} rounds in turns of ${EXECUTIONS} executions, ${AT_ONCE} at once on two cores, no warm processes; the load generator shares the cores`;
    results.push(
      {
        name: `Bare python3 -c on two cores, ${what}`,
        unit: 'processes/s',
        value: median(rounds.bare),
        goal: null,
        how,
        rounds,
      },
      {
        name: `Executions on two cores, ${what}`,
        unit: 'executions/s',
        value: median(rounds.platform),
        goal: null,
        how,
        rounds: {},
      },
      {
        name: `Time of an execution on two cores against bare Python, ${what}`,
        unit: '×',
        value: median(rounds.ratio),
        goal: { atMost: 1.3 },
        how,
        rounds: {},
      },
    );
  }
  await platform.stop();
  return results;
}

/** How many a second. */
async function rate(work: () => Promise<unknown>, atOnce: number): Promise<number> {
  let left = EXECUTIONS;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (EXECUTIONS * 1000) / (performance.now() - began);
}
