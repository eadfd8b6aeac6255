import { callerOf } from '@kethub/server/testing/gateway';
import { bareSandbox } from '@kethub/runtime/testing/bare-sandbox';
import type { Measurement } from '../lib/measurement.ts';
import { machineSeconds, startServer, type Server } from '../lib/process.ts';
import { numpy, trivial } from '../lib/services.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 7;
/** Executions of a round: each round takes about the same time, so that its beginning and end do not matter. */
const EXECUTIONS = { Trivial: 120, Numpy: 60 };
const WORKLOADS = { Trivial: trivial, Numpy: numpy };
/**
 * Executions at the same time, bare and on the platform. Some wait for the disk, and neither core may wait with them.
 */
const AT_ONCE = 8;

type Name = keyof typeof WORKLOADS;
type Work = () => Promise<void>;

interface Round {
  readonly perSecond: number;
  /** Processor time of the machine per execution, in milliseconds. */
  readonly processorMs: number;
}

/** Executions per second on two cores, each a new process in a new sandbox, against the same in bare sandboxes. */
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
  const rounds = { bare: [] as Round[], cold: [] as Round[], warm: [] as Round[] };
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of ['bare', 'cold', 'warm'] as const) rounds[kind].push(await rate(works[kind], count));
  const what = name === 'Trivial' ? 'a trivial service' : 'a service that imports numpy';
  const how = `${ROUNDS} rounds in turns of ${count}, ${AT_ONCE} at once on two cores that the load generator shares; bare: bubblewrap with the same arguments, the same interpreter and imports, spawned by the load generator`;
  const each = (kind: keyof typeof rounds, of: keyof Round): number[] => rounds[kind].map((round) => round[of]);
  const rateOf = (kind: keyof typeof rounds, label: string): Measurement => ({
    name: `${label}, ${what}`,
    unit: 'executions/s',
    value: median(each(kind, 'perSecond')),
    goal: null,
    how,
    rounds: { perSecond: each(kind, 'perSecond'), processorMs: each(kind, 'processorMs') },
  });
  const processorTime = (kind: 'cold' | 'warm'): Measurement => ({
    name: `Processor time of an execution, ${kind}, against the bare sandbox, ${what}`,
    unit: '×',
    value: median(each(kind, 'processorMs').map((one, round) => one / (rounds.bare[round]?.processorMs ?? 0))),
    goal: { atMost: 1.3 },
    how: `${how}. Compared is all that the machine spends in a round, in processes and in the kernel, the load generator with it: what two cores that are never idle can do is this, whatever waits for the disk`,
    rounds: {},
  });
  const against = (kind: 'cold' | 'warm', note: string): Measurement => ({
    name: `Time of an execution on two cores, ${kind}, against the bare sandbox, ${what}`,
    unit: '×',
    value: median(rounds[kind].map(({ perSecond }, round) => (rounds.bare[round]?.perSecond ?? 0) / perSecond)),
    goal: { atMost: 1.3 },
    how: how + note,
    rounds: {},
  });
  return [
    rateOf('bare', 'Bare sandboxes on two cores'),
    rateOf('cold', 'Executions on two cores, cold'),
    against('cold', '; no process waits'),
    processorTime('cold'),
    rateOf('warm', 'Executions on two cores, warm'),
    against(
      'warm',
      '; a process is made for each execution, in advance where there is time: a warm start saves waiting, not work',
    ),
    processorTime('warm'),
  ];
}

async function rate(work: Work, count: number): Promise<Round> {
  let left = count;
  const began = performance.now();
  const before = machineSeconds();
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const processorMs = ((machineSeconds() - before) * 1_000) / count;
  return { perSecond: (count * 1_000) / (performance.now() - began), processorMs };
}
