import { callerOf } from '../../apps/server/src/testing/gateway.ts';
import { bareSandbox } from '../lib/bare-sandbox.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer, type Server } from '../lib/process.ts';
import { numpy, trivial } from '../lib/services.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 7;
/** About as long for each: what waits to be begun and ended at both ends of a round must not count. */
const EXECUTIONS = { Trivial: 120, Numpy: 60 };
const WORKLOADS = { Trivial: trivial, Numpy: numpy };
/** So many at the same time, bare as on the platform. */
const AT_ONCE = 4;

type Name = keyof typeof WORKLOADS;
type Work = () => Promise<void>;

/** Executions a second on two cores, each a new process in a new sandbox, against as many of the same in bare sandboxes. */
export async function throughput(): Promise<Measurement[]> {
  const services = { Trivial: trivial.files, Numpy: numpy.files };
  const start = (settings: Record<string, string>) =>
    startServer<PlatformReady>('servers/platform.ts', { settings, services } satisfies Question, '0,1');
  const cold = await start({ KETHUB_WARM_MEMORY_MB: '0' });
  const warm = await start({});
  const sandbox = bareSandbox(cold.ready.dataDir);
  const results: Measurement[] = [];
  for (const name of ['Trivial', 'Numpy'] as const) {
    const works = {
      bare: () => sandbox.run(WORKLOADS[name].line),
      cold: await executionsOf(cold, name),
      warm: await executionsOf(warm, name),
    };
    results.push(...(await compare(name, works)));
  }
  sandbox.remove();
  await cold.stop();
  await warm.stop();
  return results;
}

async function executionsOf({ ready }: Server<PlatformReady>, name: Name): Promise<Work> {
  const service = ready.services[name];
  if (!service) throw new Error(`${name} is not deployed`);
  const app = await callerOf(service);
  return async () => {
    const { status } = await app.finish({});
    if (status !== 'SUCCEEDED') throw new Error(`The execution is ${status}`);
  };
}

async function compare(name: Name, works: { bare: Work; cold: Work; warm: Work }): Promise<Measurement[]> {
  const count = EXECUTIONS[name];
  for (const work of Object.values(works)) await rate(work, AT_ONCE);
  const rounds = { bare: [] as number[], cold: [] as number[], warm: [] as number[] };
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of ['bare', 'cold', 'warm'] as const) rounds[kind].push(await rate(works[kind], count));
  const what = name === 'Trivial' ? 'a trivial service' : 'a service that imports numpy';
  const how = `${ROUNDS} rounds in turns of ${count}, ${AT_ONCE} at once on two cores that the load generator shares; bare: bubblewrap with the same arguments, the same interpreter and imports, spawned by the load generator`;
  const rateOf = (kind: keyof typeof rounds, label: string, kept = {}): Measurement => {
    const value = median(rounds[kind]);
    return { name: `${label}, ${what}`, unit: 'executions/s', value, goal: null, how, rounds: kept };
  };
  const against = (kind: 'cold' | 'warm', note: string): Measurement => ({
    name: `Time of an execution on two cores, ${kind}, against the bare sandbox, ${what}`,
    unit: '×',
    value: median(rounds[kind].map((one, round) => (rounds.bare[round] ?? 0) / one)),
    goal: { atMost: 1.3 },
    how: how + note,
    rounds: {},
  });
  return [
    rateOf('bare', 'Bare sandboxes on two cores', rounds),
    rateOf('cold', 'Executions on two cores, cold'),
    against('cold', '; no process waits'),
    rateOf('warm', 'Executions on two cores, warm'),
    against(
      'warm',
      '; a process is made for each execution, in advance where there is time: a warm start saves waiting, not work',
    ),
  ];
}

/** How many a second. */
async function rate(work: Work, count: number): Promise<number> {
  let left = count;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (count * 1_000) / (performance.now() - began);
}
