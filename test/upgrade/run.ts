import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlatformClient, signInWithPassword } from '@kethub/client';
import { connectRuntime } from '@kethub/runtime';
import { deploy } from '@kethub/server/testing/kethub';
import { callerOf } from '@kethub/server/testing/gateway';
import { startPostgres } from '../../script/postgres.ts';
import { leftInRuntime } from '../faults/left-inside.ts';
import { countOpens } from '../faults/opens.ts';
import { witness } from '../faults/service.ts';
import { marksOf, openInstallation, type Installation, type Part } from './installation.ts';
import { callSteadily, type Tally } from './load.ts';
import { changeToNext, copyWorkTree, unpackCommit, type Version } from './versions.ts';

export interface UpgradeReport {
  readonly from: string;
  /** Migrations that only the newer version has. */
  readonly migrations: readonly string[];
  readonly replaced: readonly string[];
  readonly requests: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** Violations, one sentence each. */
  readonly wrong: readonly string[];
}

const person = { username: 'ada', password: 'correct horse battery staple' };
/** A version knows from this migration on that a newer one may have expanded the schema. */
const TOLERANT = '0016-oldest-program';
/** Milliseconds of calls between two replacements. */
const BETWEEN_MS = 4_000;

/** Replaces every process of an installation under steady calls, and checks that nobody has noticed. */
export async function runUpgrade(from: string, report: (line: string) => void): Promise<UpgradeReport> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-upgrade-'));
  const postgres = await startPostgres({ durable: false });
  try {
    const before = unpackCommit(from, path.join(folder, 'before'));
    const copy = copyWorkTree(path.join(folder, 'after'));
    const isSame = copy.migrations.join() === before.migrations.join();
    const after = isSame ? changeToNext(copy) : copy;
    const migrations = after.migrations.filter((name) => !before.migrations.includes(name));
    report(`from ${from} to ${isSame ? 'the next version' : 'the work tree'}: ${migrations.join(', ')}`);
    const installation = await openInstallation(path.join(folder, 'data'), postgres.url, before);
    try {
      return { from, migrations, ...(await replaceAll(installation, before, after, report)) };
    } finally {
      await installation.stop();
      for (const part of installation.parts) if (part.role === 'worker') await endRunnerOf(part);
    }
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function replaceAll(
  installation: Installation,
  before: Version,
  after: Version,
  report: (line: string) => void,
): Promise<Omit<UpgradeReport, 'from' | 'migrations'>> {
  const { origin, parts } = installation;
  installation.addPerson(before, person.username, person.password);
  const session = await signInWithPassword({ authUrl: `${origin}/auth`, ...person });
  const client = createPlatformClient({ baseUrl: `${origin}/api`, credential: { loginSession: session } });
  const deployed = await deploy(client, 'Witness', witness);
  const { cloneUrl, id: implementationId } = await client.createImplementation({ json: { name: 'code' } });
  await client.updateImplementation({ implementationId, json: { visibility: 'PUBLIC' } });
  const { cloneUrl: pushed } = await client.createImplementation({ json: { name: 'pushed' } });
  const token = (await client.createAccessToken({ json: { name: 'git' } })).value ?? '';
  const pushUrl = pushed.replace('://', `://x:${token}@`);
  const workers = parts.filter(({ role }) => role === 'worker');
  const warm = await callerOf(deployed);
  while (workers.some((worker) => marksOf(worker).length === 0))
    await Promise.all(Array.from({ length: 12 }, () => warm.finish({ mark: 0 })));
  const opens = await Promise.all(workers.flatMap(marksOf).map(countOpens));

  const stop = new AbortController();
  const calling = callSteadily({ origin, deployed, session, person, cloneUrl, pushUrl }, stop.signal);
  const replaced: string[] = [];
  const replace = async (part: Part, version: Version, how: string): Promise<void> => {
    await pause(BETWEEN_MS);
    report(`${part.name} ${how}`);
    await installation.replace(part, version);
    replaced.push(part.name);
  };
  for (const part of parts) await replace(part, after, 'becomes the newer version');
  const gateway = parts.find(({ role }) => role === 'gateway');
  if (gateway && before.migrations.includes(TOLERANT)) {
    await replace(gateway, before, 'goes back to the older version');
    await replace(gateway, after, 'becomes the newer version again');
  }
  await pause(BETWEEN_MS);
  stop.abort();
  const tally = await calling;
  const counted = await Promise.all(opens.map((one) => one.stop()));
  const wrong = [...judge(tally, counted)];
  for (const { dataDir } of workers) wrong.push(...(await leftInRuntime(dataDir)));
  return {
    replaced,
    requests: Object.fromEntries(tally.counts),
    statuses: Object.fromEntries(
      [...Map.groupBy(tally.statuses.values(), (status) => status)].map(([status, all]) => [status, all.length]),
    ),
    wrong,
  };
}

function judge(tally: Tally, counted: readonly ReadonlyMap<string, number>[]): string[] {
  const failed = tally.failures.map(({ at, request, answer }) => `${at} ${request}: ${answer}`);
  const ends = [...tally.started].flatMap(([mark, id]) => {
    const often = counted.reduce((sum, one) => sum + (one.get(String(mark)) ?? 0), 0);
    const status = tally.statuses.get(id) ?? 'lost';
    return status === 'SUCCEEDED' && often === 1 ? [] : [`execution ${id} is ${status}, and ran ${often} times`];
  });
  return [...failed, ...ends];
}

async function endRunnerOf({ dataDir }: Part): Promise<void> {
  const runtime = await connectRuntime({ dataDir, idleExitMs: 100 });
  await runtime.close();
}
