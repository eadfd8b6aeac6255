import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { startPostgres } from '../../script/postgres.ts';
import { requestsPerSecond } from '../lib/load.ts';
import type { Measurement } from '../lib/measurement.ts';
import { memoryMb, memoryOf, startServer, textOf, treeOf } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';
import type { ClaimsAnswer, ClaimsQuestion } from '../servers/claims.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const QUEUED = 100_000;
const FEW = 100;
const RUNNING = 50;
const CLAIMS = 400;
const SETTLED_MS = 5_000;

type Kind = 'SQLite' | 'PostgreSQL';

/** A program that sleeps as long as its input says. */
const sleeper = {
  'src/__init__.py': '',
  'src/program.py': 'import time\n\n\ndef run(data=0):\n    time.sleep(data)\n    return {}\n',
};

/** Pending executions cost no memory and slow no claim; a running one costs its process. */
export async function queue(): Promise<Measurement[]> {
  const postgres = await startPostgres({ durable: true });
  process.env['KETHUB_TEST_POSTGRES_URL'] = postgres.url;
  const results: Measurement[] = [];
  try {
    for (const database of ['SQLite', 'PostgreSQL'] as const) {
      results.push(...(await claims(database)));
      results.push(await waiting(database));
    }
  } finally {
    delete process.env['KETHUB_TEST_POSTGRES_URL'];
    await postgres.stop();
  }
  return [...results, ...(await running())];
}

/** The time of a claim with its commit, where few and where many executions wait. */
async function claims(database: Kind): Promise<Measurement[]> {
  const question: ClaimsQuestion = { database, few: FEW, many: QUEUED, rounds: CLAIMS };
  const server = await startServer<ClaimsAnswer>('servers/claims.ts', question, 0);
  const { few, many } = server.ready;
  await server.stop();
  const how = `${CLAIMS} claims in turns, each after one has ended and another was accepted; 50 owners, 8 run, ${database}`;
  const name = (count: number) => `Claim with ${count.toLocaleString('en')} waiting, ${database}`;
  return [
    { name: name(FEW), unit: 'ms', value: median(few), goal: null, how, rounds: { few, many } },
    { name: name(QUEUED), unit: 'ms', value: median(many), goal: null, how, rounds: {} },
    {
      name: `${name(QUEUED)}, against ${FEW}`,
      unit: '×',
      value: median(many) / median(few),
      goal: { atMost: 1.2 },
      how,
      rounds: {},
    },
  ];
}

/** A whole platform that accepts all of them over HTTP while one runs. */
async function waiting(database: Kind): Promise<Measurement> {
  const { platform, app, endpoint } = await start(
    { KETHUB_MAX_CONCURRENT_EXECUTIONS: '1', KETHUB_OWNER_PENDING_EXECUTIONS: '0' },
    database,
    ['--expose-gc'],
  );
  await app.start({ data: 3_600 });
  const headers = { authorization: `Bearer ${app.bearer}`, 'content-type': 'application/json' };
  const url = `${endpoint}/`.replace('localhost', '127.0.0.1');
  const accept = async (seconds: number): Promise<number> => {
    const load = { url, method: 'POST', headers, body: '{"data": 0}', connections: 16, seconds } as const;
    return (await requestsPerSecond(load)) * seconds;
  };
  // An idle process keeps up to 150 MB of garbage, and up to 90 MB of pages that V8 has freed. Neither belongs to an
  // execution, and how much it is depends on the moment.
  const kept = async (): Promise<number> => {
    process.kill(platform.pid, 'SIGUSR2');
    await pause(SETTLED_MS);
    return memoryMb(platform.pid);
  };
  // The memory that any server under load takes, such as compiled code.
  const first = await accept(3);
  const before = await kept();
  let more = 0;
  while (more < QUEUED) more += await accept(3);
  const after = await kept();
  await platform.stop();
  return {
    name: `${QUEUED.toLocaleString('en')} executions waiting: memory that the platform grows by, ${database}`,
    unit: 'MB',
    value: after - before,
    goal: { atMost: 64 },
    how: `${Math.round(more)} of one owner accepted over HTTP, ${database}: proportional memory (PSS) of the platform ${SETTLED_MS / 1_000} s after V8 has collected its garbage and returned free pages, less that with ${Math.round(first)} waiting`,
    rounds: { beforeMb: [before], afterMb: [after] },
  };
}

async function running(): Promise<Measurement[]> {
  const settings = { KETHUB_MAX_CONCURRENT_EXECUTIONS: String(RUNNING), KETHUB_WARM_MEMORY_MB: '0' };
  const { platform, app } = await start(settings, 'SQLite');
  await app.finish({ data: 0 });
  const runner = runnerOf(platform.ready.dataDir);
  const own = (): number => memoryMb(platform.pid) + memoryOf(runner);
  const users = (): number => treeOf(runner).reduce((sum, pid) => sum + (pid === runner ? 0 : memoryOf(pid)), 0);
  await pause(SETTLED_MS);
  const before = { own: own(), users: users() };
  const ids = await Promise.all(Array.from({ length: RUNNING }, async () => (await app.start({ data: 3_600 })).id));
  for (const id of ids) while (await isWaiting(app, id)) await pause(50);
  await pause(SETTLED_MS);
  const after = { own: own(), users: users() };
  await platform.stop();
  const how = `${RUNNING} that sleep: proportional memory (PSS) less that before`;
  return [
    {
      name: 'Memory per running execution, platform and runner',
      unit: 'MB',
      value: (after.own - before.own) / RUNNING,
      goal: null,
      how: `${how}, of the process of the platform and that of the runner`,
      rounds: { beforeMb: [before.own], afterMb: [after.own] },
    },
    {
      name: 'Memory per running execution, its sandbox and its Python',
      unit: 'MB',
      value: (after.users - before.users) / RUNNING,
      goal: null,
      how: `${how}, of bubblewrap and of the process of the user`,
      rounds: { beforeMb: [before.users], afterMb: [after.users] },
    },
  ];
}

async function start(settings: Record<string, string>, database: Kind, flags: readonly string[] = []) {
  const question: Question = { database, settings, services: { Sleeper: sleeper } };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0, flags);
  const service = platform.ready.services['Sleeper'];
  if (!service) throw new Error('Not deployed');
  return { platform, app: await callerOf(service), endpoint: service.endpoint };
}

async function isWaiting(app: Caller, id: string): Promise<boolean> {
  const { body } = await app.request('GET', `/${id}`);
  return Reflect.get(Object(body), 'status') === 'PENDING';
}

function runnerOf(dataDir: string): number {
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const command = textOf(`/proc/${name}/cmdline`);
    if (command.includes('runner/main.ts') && command.includes(path.join(dataDir, 'runtime'))) return Number(name);
  }
  throw new Error('The platform has no runner');
}
