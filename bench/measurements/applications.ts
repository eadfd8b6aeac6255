import path from 'node:path';
import { openDatabase } from '@kethub/server/foundation/storage';
import { callerOf, member, requestToken } from '@kethub/server/testing/gateway';
import { addApplications, addExecutions, type Client } from '../lib/applications.ts';
import type { Measurement } from '../lib/measurement.ts';
import { memoryMb, startServer } from '../lib/process.ts';
import { trivial } from '../lib/services.ts';
import { median, mixed } from '../lib/statistics.ts';
import { readInterleaved, type Turn } from '../lib/interleaved-reads.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const FEW = 100;
const MANY = 10_000;
const EXECUTIONS = 100_000;
/** Executions in the list of the warm-up. The fixed cost of a list does not belong to the cost per entry. */
const WARM_UP_EXECUTIONS = 10_000;
const WARMED_AT_ONCE = 16;
/** Reads of a turn: few, so that disturbances of the machine meet both alike. */
const READS_IN_TURN = 500;
/** Turns of a round, in which each execution is read more than once. */
const TURNS_IN_ROUND = 50;
const connections = 32;
const seconds = 60;

/** Status reads by few and by many applications in turns, and a long list of executions. */
export async function applications(): Promise<Measurement[]> {
  const question: Question = { settings: {}, services: { Trivial: trivial.files } };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0);
  const service = platform.ready.services['Trivial'];
  if (!service) throw new Error('Not deployed');
  const app = await callerOf(service);
  const { id: executionId } = await app.finish({});
  const database = await openDatabase({
    databaseUrl: platform.ready.databaseUrl,
    sqliteFile: path.join(platform.ready.dataDir, 'kethub.db'),
  });
  const model = { applicationId: service.application.id, subscriptionId: service.subscription.id, executionId };
  const { tokenEndpoint } = service.application;
  // Both cases read the same number of executions. They differ in the number of applications.
  const few = await callsOf(
    tokenEndpoint,
    await addApplications(database, model, { count: FEW, executionsOfEach: MANY / FEW }),
  );
  const many = await callsOf(
    tokenEndpoint,
    await addApplications(database, model, { count: MANY, executionsOfEach: 1 }),
  );
  for (const calls of [few, many]) await callEach(service.endpoint, calls);
  const pathname = new URL(service.endpoint).pathname;
  const turns = await readInterleaved({
    url: service.endpoint.replace('localhost', '127.0.0.1'),
    lists: [few, many].map((calls) =>
      // Not in the order of the first calls, whose data lies in memory in that order.
      mixed(calls).map(({ executionId, bearer }) => ({ path: `${pathname}/${executionId}`, bearer })),
    ),
    readsInTurn: READS_IN_TURN,
    pid: platform.pid,
    connections,
    seconds,
  });
  const [roundsOfFew = [], roundsOfMany = []] = turns.map(roundsOf);
  await addExecutions(database, executionId, WARM_UP_EXECUTIONS);
  await readList(`${service.endpoint}/`, app.bearer, platform.pid);
  await addExecutions(database, executionId, EXECUTIONS - WARM_UP_EXECUTIONS);
  await database.close();
  const list = await readList(`${service.endpoint}/`, app.bearer, platform.pid);
  await platform.stop();
  const how = `${READS_IN_TURN} reads by few and ${READS_IN_TURN} by many in turns, for ${seconds} s, on one platform with ${MANY + FEW} applications; wrk with ${connections} connections on the other core, its ${2 * MANY} requests made beforehand: ${MANY} executions in either case, in a mixed order, each with the bearer token of its application, after one call with each. A round is ${TURNS_IN_ROUND} turns of each`;
  const reads = (name: string, rounds: readonly Reads[]): Measurement => {
    const requests = rounds.map(({ perSecond }) => perSecond);
    return {
      name: `Status reads by ${name} applications`,
      unit: 'requests/s',
      value: median(requests),
      goal: null,
      how,
      rounds: { requests, perProcessorSecond: rounds.map(({ perProcessorSecond }) => perProcessorSecond) },
    };
  };
  const ratio = roundsOfFew.map((one, at) => (roundsOfMany[at]?.perProcessorSecond ?? 0) / one.perProcessorSecond);
  return [
    reads(FEW.toLocaleString('en'), roundsOfFew),
    reads(MANY.toLocaleString('en'), roundsOfMany),
    {
      name: `Status reads by ${MANY.toLocaleString('en')} applications against ${FEW}`,
      unit: '×',
      value: median(ratio),
      goal: { atLeast: 0.95 },
      how: `${how}. Compared are reads in a second of the platform's processor time: it is busy all the time, and what others take of its core does not count`,
      rounds: { ratio },
    },
    {
      name: `List of ${EXECUTIONS.toLocaleString('en')} executions: memory that the platform grows by`,
      unit: 'MB',
      value: list.grownMb,
      goal: { atMost: 64 },
      how: `highest proportional memory (PSS) while the list of ${Math.round(list.bytes / 1e6)} MB is read, less that after a list of ${WARM_UP_EXECUTIONS.toLocaleString('en')}; read in ${list.seconds.toFixed(1)} s`,
      rounds: {},
    },
  ];
}

interface Reads {
  readonly perSecond: number;
  /** Reads per second of the platform's processor time. */
  readonly perProcessorSecond: number;
}

interface Call {
  readonly executionId: string;
  readonly bearer: string;
}

/** The sum of each round, without the first, which reads from cold caches. */
function roundsOf(turns: readonly Turn[]): Reads[] {
  const requests = TURNS_IN_ROUND * READS_IN_TURN;
  return Array.from({ length: Math.floor(turns.length / TURNS_IN_ROUND) }, (_none, round) => {
    const of = turns.slice(round * TURNS_IN_ROUND, (round + 1) * TURNS_IN_ROUND);
    const sum = (value: (turn: Turn) => number): number => of.reduce((all, turn) => all + value(turn), 0);
    return {
      perSecond: requests / sum((turn) => turn.seconds),
      perProcessorSecond: requests / sum((turn) => turn.processorSeconds),
    };
  }).slice(1);
}

/** A call for each execution. Tokens are requested one after the other, as many applications would. */
async function callsOf(tokenEndpoint: string, clients: readonly Client[]): Promise<Call[]> {
  const calls: Call[] = [];
  for (const { credentials, executionIds } of clients) {
    const answer = await requestToken(tokenEndpoint, credentials);
    const bearer = member(answer.body, 'access_token');
    calls.push(...executionIds.map((executionId) => ({ executionId, bearer })));
  }
  return calls;
}

/** Calls each once, because the time of a first call is not measured here. */
async function callEach(endpoint: string, calls: readonly Call[]): Promise<void> {
  const left = [...calls];
  const call = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const headers = { authorization: `Bearer ${next.bearer}` };
      const answer = await fetch(`${endpoint}/${next.executionId}`, { headers });
      if (!answer.ok) throw new Error(`A status read answered ${answer.status}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: WARMED_AT_ONCE }, call));
}

async function readList(url: string, bearer: string, pid: number) {
  const before = memoryMb(pid);
  const began = performance.now();
  const response = await fetch(url, { headers: { authorization: `Bearer ${bearer}` } });
  if (!response.ok || !response.body) throw new Error(`The list answered ${response.status}`);
  let bytes = 0;
  let highest = before;
  for await (const chunk of response.body) {
    const size = chunk instanceof Uint8Array ? chunk.length : 0;
    if (Math.floor((bytes + size) / 1e6) > Math.floor(bytes / 1e6)) highest = Math.max(highest, memoryMb(pid));
    bytes += size;
  }
  return { bytes, seconds: (performance.now() - began) / 1000, grownMb: highest - before };
}
