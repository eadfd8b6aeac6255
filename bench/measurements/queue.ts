import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { callerOf, type Caller } from '../../apps/server/src/testing/gateway.ts';
import { requestsPerSecond } from '../lib/load.ts';
import type { Measurement } from '../lib/measurement.ts';
import { memoryMb, startServer } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const QUEUED = 100_000;
const RUNNING = 50;
const CLAIMS = 40;
const SECONDS = 5;

/** Sleeps as long as it is told. */
const sleeper = {
  'src/__init__.py': '',
  'src/program.py': 'import time\n\n\ndef run(data=0):\n    time.sleep(data)\n    return {}\n',
};

/** What waits costs no memory and makes no claim slower; what runs costs its process. */
export async function queue(): Promise<Measurement[]> {
  return [...(await waiting()), await running()];
}

async function waiting(): Promise<Measurement[]> {
  const settings = { KETHUB_MAX_CONCURRENT_EXECUTIONS: '1' };
  const { platform, app, endpoint } = await start(settings);
  const database = new Database(path.join(platform.ready.dataDir, 'kethub.db'), { readonly: true });
  const waitingNow = (): number =>
    Number(database.prepare(`select count(*) from executions where status = 'PENDING'`).pluck().get());
  const short = await claims(app, database);
  const before = memoryMb(platform.pid);
  const blocker = await app.start({ data: 3_600 });
  const headers = { authorization: `Bearer ${app.bearer}`, 'content-type': 'application/json' };
  const url = `${endpoint}/`.replace('localhost', '127.0.0.1');
  while (waitingNow() < QUEUED)
    await requestsPerSecond({ url, method: 'POST', headers, body: '{"data": 0}', connections: 16, seconds: SECONDS });
  await pause(5_000);
  const after = memoryMb(platform.pid);
  await app.request('PUT', `/${blocker.id}/cancel`);
  // One after the other from the long queue: each claim follows the end of the one before.
  await pause(10_000);
  const long = gaps(database);
  const left = waitingNow();
  database.close();
  await platform.stop();
  const how = `${QUEUED} executions of one owner waiting, SQLite`;
  return [
    {
      name: 'Memory of the platform per waiting execution',
      unit: 'bytes',
      value: Math.max(0, ((after - before) * 2 ** 20) / QUEUED),
      goal: { atMost: 200 },
      how: `${how}: proportional memory (PSS) 5 s after the last was accepted, less that before the first`,
      rounds: { beforeMb: [before], afterMb: [after] },
    },
    {
      name: 'From the end of one execution to the start of the next, with nothing else waiting',
      unit: 'ms',
      value: median(short),
      goal: null,
      how: `${CLAIMS} executions, two at a time, one place`,
      rounds: { short },
    },
    {
      name: `The same with ${QUEUED.toLocaleString('en')} waiting`,
      unit: 'ms',
      value: median(long),
      goal: { atMost: Math.max(1.5 * median(short), median(short) + 2) },
      how: `${how}, one place; ${left} were left`,
      rounds: { long: long.slice(0, 1_000) },
    },
  ];
}

async function running(): Promise<Measurement> {
  const settings = { KETHUB_MAX_CONCURRENT_EXECUTIONS: String(RUNNING), KETHUB_WARM_MEMORY_MB: '0' };
  const { platform, app } = await start(settings);
  await app.finish({ data: 0 });
  const all = (): number =>
    memoryMb(platform.pid) + treeOf(runnerOf(platform.ready.dataDir)).reduce((sum, pid) => sum + memoryOf(pid), 0);
  const before = all();
  const ids = await Promise.all(Array.from({ length: RUNNING }, async () => (await app.start({ data: 3_600 })).id));
  for (const id of ids) while (await isWaiting(app, id)) await pause(50);
  await pause(3_000);
  const after = all();
  await platform.stop();
  return {
    name: 'Memory per running execution, everything included',
    unit: 'MB',
    value: (after - before) / RUNNING,
    goal: null,
    how: `${RUNNING} that sleep: proportional memory (PSS) of platform, runner, sandboxes and Python processes, less that before`,
    rounds: { beforeMb: [before], afterMb: [after] },
  };
}

async function start(settings: Record<string, string>) {
  const question: Question = { settings, services: { Sleeper: sleeper } };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0);
  const service = platform.ready.services['Sleeper'];
  if (!service) throw new Error('Not deployed');
  return { platform, app: await callerOf(service), endpoint: service.endpoint };
}

async function claims(app: Caller, database: Database.Database): Promise<number[]> {
  const chain = async (): Promise<void> => {
    for (let left = CLAIMS / 2; left > 0; left--) await app.finish({ data: 0 });
  };
  await Promise.all([chain(), chain()]);
  return gaps(database);
}

/** From the end of an execution to the start of the next where that one was waiting already, in milliseconds. */
function gaps(database: Database.Database): number[] {
  const rows = database
    .prepare(
      `select created_at, started_at, ended_at from executions where ended_at is not null and started_at is not null order by started_at desc limit 1000`,
    )
    .all() as { created_at: number; started_at: number; ended_at: number }[];
  const ordered = rows.toReversed();
  return ordered.flatMap((row, index) => {
    const last = ordered[index - 1];
    return last && row.created_at < last.ended_at ? [row.started_at - last.ended_at] : [];
  });
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

function treeOf(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

function memoryOf(pid: number): number {
  try {
    return memoryMb(pid);
  } catch {
    // It ended while we looked.
    return 0;
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
