import { startPostgres } from '../../script/postgres.ts';
import type { Measurement } from '../lib/measurement.ts';
import { answersPerSecond, latenciesAtRate } from '../lib/open-load.ts';
import { startServer } from '../lib/process.ts';
import { median, percentile } from '../lib/statistics.ts';
import { loadZeebe, WARM_UP, zeebe } from '../lib/zeebe.ts';
import type { Noise } from '../servers/noise.ts';
import type { DeployedWorkflow, Question } from '../servers/workflows.ts';

const ROUNDS = 5;
const SECONDS = 4;
const CALLERS = 32;
const RATE = 250;
/** Instances per second of the quiet owner; the noisy one starts 16 times as many. */
const QUIET_RATE = 12;
const NOISE = 16;
/**
 * Seconds of a round: 192 instances, whose p99 is the second highest value. A disturbance in one or two rounds does not
 * change the median of five.
 */
const QUIET_SECONDS = 16;
/** Share of the intended noise that must have reached the service. Below it the measurement fails. */
const HEARD = 0.9;

/**
 * Instances of one task over HTTP, from the request to the answer that it has ended. The task calls a service in
 * another process, which has its result at once, so that only the platform is measured. Beside it: the effect of a
 * noisy owner on a quiet one.
 */
export async function workflowCalls(): Promise<Measurement[]> {
  const postgres = await startPostgres({ durable: true });
  process.env['KETHUB_TEST_POSTGRES_URL'] = postgres.url;
  try {
    const measured: Measurement[] = [];
    for (const database of ['SQLite', 'PostgreSQL'] as const) measured.push(...(await measure(database)));
    return [...measured, ...zeebeBeside()];
  } finally {
    delete process.env['KETHUB_TEST_POSTGRES_URL'];
    await postgres.stop();
  }
}

interface Rounds {
  rates: number[];
  p50: number[];
  p99: number[];
  handOverP99: number[];
}

/** Milliseconds of every instance of the quiet owner, round by round. */
interface Quiet {
  alone: number[][];
  besideNoise: number[][];
}

async function measure(database: Question['database']): Promise<Measurement[]> {
  const provider = await startServer<{ url: string }>('servers/task-provider.ts', null, '0,1');
  const question: Question = { database, url: provider.ready.url, owners: ['quiet', 'noisy'] };
  const platform = await startServer<Record<string, DeployedWorkflow>>('servers/workflows.ts', question, '0,1');
  const load = (owner: string, seconds = SECONDS) => {
    const deployed = platform.ready[owner];
    if (!deployed) throw new Error(`${owner} has no workflow`);
    return { ...deployed, seconds, body: (sent: number) => JSON.stringify({ sent, who: owner }) };
  };
  const handOvers = async (): Promise<Record<string, number[]>> =>
    (await fetch(`${provider.ready.url}/hand-overs`)).json() as Promise<Record<string, number[]>>;
  const rounds: Rounds = { rates: [], p50: [], p99: [], handOverP99: [] };
  const all: Quiet = { alone: [], besideNoise: [] };
  try {
    await answersPerSecond(load('quiet', 3), CALLERS);
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.rates.push(await answersPerSecond(load('quiet'), CALLERS));
      await handOvers();
      const took = await latenciesAtRate({ ...load('quiet'), perSecond: RATE });
      rounds.p50.push(percentile(took, 0.5));
      rounds.p99.push(percentile(took, 0.99));
      rounds.handOverP99.push(percentile((await handOvers())['quiet'] ?? [], 0.99));
      const quiet = { ...load('quiet', QUIET_SECONDS), perSecond: QUIET_RATE };
      all.alone.push(await latenciesAtRate(quiet));
      const { url, bearer } = load('noisy');
      const loud: Noise = { url, bearer, perSecond: QUIET_RATE * NOISE, owner: 'noisy' };
      const noise = await startServer('servers/noise.ts', loud, '0,1');
      await handOvers();
      all.besideNoise.push(await latenciesAtRate(quiet));
      const heard = (await handOvers())['noisy']?.length ?? 0;
      await noise.stop();
      if (heard < loud.perSecond * QUIET_SECONDS * HEARD) throw new Error(`Only ${heard} instances of the noisy owner`);
    }
  } finally {
    await platform.stop();
    await provider.stop();
  }
  return rows(database, rounds, all);
}

function rows(database: string, rounds: Rounds, quiet: Quiet): Measurement[] {
  const p99s = (all: readonly number[][]): number[] => all.map((took) => percentile(took, 0.99));
  const alone = p99s(quiet.alone);
  const beside = p99s(quiet.besideNoise);
  const how = `${ROUNDS} rounds of ${SECONDS} s on both cores, with the callers, the service that the task calls and the database`;
  const at = `POST with Prefer: wait, ${RATE} a second at their times`;
  const row = (name: string, value: number, unit: string, goal: Measurement['goal'], more: string): Measurement => ({
    name: `${name}, ${database}`,
    unit,
    value,
    goal,
    how: `${how}; ${more}`,
    rounds: name.startsWith('One-task workflows over HTTP')
      ? { ...rounds, quietAloneP99: alone, quietBesideNoiseP99: beside }
      : {},
  });
  return [
    row(
      'One-task workflows over HTTP',
      median(rounds.rates),
      'instances/s',
      { atLeast: 250 },
      `${CALLERS} callers, each of whom waits for the end of its instance`,
    ),
    row('One-task workflow, start to end, p50', median(rounds.p50), 'ms', { atMost: 64 }, at),
    row('One-task workflow, start to end, p99', median(rounds.p99), 'ms', null, at),
    row(
      'Hand-over of a task, p99',
      median(rounds.handOverP99),
      'ms',
      { atMost: 50 },
      `${at}; from the request for the instance until the service has the call of the task`,
    ),
    row(
      'Workflow of an owner beside one who does 16 × as much, p99 against alone',
      median(beside.map((p99, round) => p99 / (alone[round] ?? 0))),
      '×',
      { atMost: 2 },
      `${QUIET_RATE} instances a second, for ${QUIET_SECONDS} s alone (p99 ${median(alone).toFixed(0)} ms) and for ${QUIET_SECONDS} s beside ${QUIET_RATE * NOISE} of another owner, whose callers are a process of their own (${median(beside).toFixed(0)} ms), round by round`,
    ),
  ];
}

function zeebeBeside(): Measurement[] {
  const closed = loadZeebe({ tasks: 1, callers: CALLERS, rate: 0, seconds: 8, warmUp: WARM_UP });
  const open = loadZeebe({ tasks: 1, callers: 0, rate: RATE, seconds: 8, warmUp: WARM_UP });
  if (!closed || !open) return [];
  const how = `${zeebe}; create with result over gRPC`;
  const row = (name: string, value: number, unit: string, more: string): Measurement => ({
    name: `${name}, Zeebe`,
    unit,
    value,
    goal: null,
    how: `${how}, ${more}`,
    rounds: {},
  });
  const at = `${RATE} a second at their times`;
  return [
    row('One-task workflows', closed.rate, 'instances/s', `${CALLERS} at a time`),
    row('One-task workflow, start to end, p50', open.p50, 'ms', at),
    row('One-task workflow, start to end, p99', open.p99, 'ms', at),
    row('Hand-over of a task, p99', open.handOverP99, 'ms', at),
  ];
}
