import path from 'node:path';
import { openDatabase } from '../../apps/server/src/storage/index.ts';
import { callerOf, member, requestToken } from '../../apps/server/src/testing/gateway.ts';
import { addApplications, addExecutions, type Client } from '../lib/applications.ts';
import { requestsPerSecond } from '../lib/load.ts';
import type { Measurement } from '../lib/measurement.ts';
import { memoryMb, startServer } from '../lib/process.ts';
import { trivial } from '../lib/services.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const FEW = 100;
const MANY = 10_000;
const EXECUTIONS = 100_000;
const ROUNDS = 7;
const connections = 32;
const seconds = 4;

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
  const clients = await addApplications(database, model, MANY);
  const bearers = await tokensOf(service.application.tokenEndpoint, clients);
  const read = (count: number): Promise<number> =>
    requestsPerSecond({
      url: service.endpoint.replace('localhost', '127.0.0.1'),
      turns: {
        header: 'authorization',
        values: bearers.slice(0, count).map((bearer) => `Bearer ${bearer}`),
        paths: clients.slice(0, count).map((client) => `${new URL(service.endpoint).pathname}/${client.executionId}`),
      },
      connections,
      seconds,
    });
  const rounds = { few: [] as number[], many: [] as number[], ratio: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const few = await read(FEW);
    const many = await read(MANY);
    rounds.few.push(few);
    rounds.many.push(many);
    rounds.ratio.push(many / few);
  }
  await addExecutions(database, executionId, EXECUTIONS);
  await database.close();
  const list = await readList(`${service.endpoint}/`, app.bearer, platform.pid);
  await platform.stop();
  const how = `${ROUNDS} rounds in turns of ${seconds} s on one platform with ${MANY} applications, wrk with ${connections} connections on the other core; every request with the bearer token and the execution of the next application`;
  const reads = (name: string, value: number[]): Measurement => ({
    name: `Status reads by ${name} applications`,
    unit: 'requests/s',
    value: median(value),
    goal: null,
    how,
    rounds: { requests: value },
  });
  return [
    reads(FEW.toLocaleString('en'), rounds.few),
    reads(MANY.toLocaleString('en'), rounds.many),
    {
      name: `Status reads by ${MANY.toLocaleString('en')} applications against ${FEW}`,
      unit: '×',
      value: median(rounds.ratio),
      goal: { atLeast: 0.95 },
      how,
      rounds: { ratio: rounds.ratio },
    },
    {
      name: `List of ${EXECUTIONS.toLocaleString('en')} executions: memory that the platform grows by`,
      unit: 'MB',
      value: list.grownMb,
      goal: { atMost: 64 },
      how: `highest proportional memory (PSS) while the list of ${Math.round(list.bytes / 1e6)} MB is read, less that before; read in ${list.seconds.toFixed(1)} s`,
      rounds: {},
    },
  ];
}

/** One after the other, as many applications would. */
async function tokensOf(tokenEndpoint: string, clients: readonly Client[]): Promise<string[]> {
  const tokens: string[] = [];
  for (const { credentials } of clients) {
    const answer = await requestToken(tokenEndpoint, credentials);
    tokens.push(member(answer.body, 'access_token'));
  }
  return tokens;
}

async function readList(url: string, bearer: string, pid: number) {
  // Once before: what the code itself needs is not what the list needs.
  const warm = await fetch(`${url}?limit=100`, { headers: { authorization: `Bearer ${bearer}` } });
  await warm.arrayBuffer();
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
