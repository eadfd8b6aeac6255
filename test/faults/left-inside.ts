import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfiguration } from '@kethub/server/foundation/config';
import { openBlobs, openDatabase, type Database } from '@kethub/server/foundation/storage';
import { runnerPathsIn } from '@kethub/runtime/paths';

const ATTEMPTS = 300;
/** Sandboxes that wait at most: two prestarted ones, and a warm one for the service. */
const MOST_WAITING = 3;

/** Leftovers of the runtime after every execution and build has ended and is collected, one sentence each. */
export async function leftInRuntime(dataDir: string): Promise<string[]> {
  const { executions, trash, workFolders, mark } = runnerPathsIn(path.join(dataDir, 'runtime'));
  for (let attempt = 1; ; attempt++) {
    const left = [
      ...readdirSync(executions).map((name) => `folder of an execution is left: ${name}`),
      ...readdirSync(trash).map((name) => `trash is left: ${name}`),
      ...readdirSync(path.join(dataDir, 'builds')).map((name) => `log of a build is left: ${name}`),
      ...beyond(MOST_WAITING, readdirSync(workFolders)).map((name) => `folder of a sandbox is left: ${name}`),
      ...beyond(MOST_WAITING, groups(mark)).map((name) => `cgroup of a sandbox is left: ${name}`),
    ];
    if (left.length === 0 || attempt === ATTEMPTS) return left;
    await pause(100);
  }
}

function beyond(most: number, names: readonly string[]): readonly string[] {
  return names.length > most ? names : [];
}

function groups(mark: string): string[] {
  const top = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'].map((hierarchy) => path.join(hierarchy, `kethub-${mark}`));
  const found = top.find((hierarchy) => existsSync(hierarchy));
  if (found === undefined) return [];
  return readdirSync(found, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

export interface Left {
  /** True if a platform that starts again has work to do. */
  readonly isUnfinished: boolean;
  /** One sentence each. */
  readonly sentences: string[];
}

/** Orphans in database and blobs, and rows that should be deleted by now. Call it only while no platform runs. */
export async function leftInStorage(
  dataDir: string,
  databaseUrl: string | null,
  settings: Readonly<Record<string, string>> = {},
): Promise<Left> {
  const database = await openDatabase({ databaseUrl, sqliteFile: path.join(dataDir, 'kethub.db') });
  try {
    const known = await referredTo(database);
    const unfinished = [
      ...(await open(database)).map(({ id, status }) => `execution ${id} is left open: it is ${status}`),
      ...(await openJobs(database)).map(
        ({ id, state }) => `job ${id} of a workflow that has ended is left: it is ${state}`,
      ),
    ];
    const sentences = [
      ...unfinished,
      ...(await storedIn(dataDir, settings)).flatMap((key) =>
        known.has(key) ? [] : [`blob is left that nothing refers to: ${inWords(dataDir, key)}`],
      ),
      ...(await secretsOfEnded(database)).map(
        ({ id, status }) => `large input or secrets of ${id} are left: it is ${status}`,
      ),
      ...(await copies(database)).map((id) => `copy of a log is left: of ${id}`),
    ];
    return { isUnfinished: unfinished.length > 0, sentences };
  } finally {
    await database.close();
  }
}

async function referredTo({ read }: Database): Promise<ReadonlySet<string>> {
  const executions = await read.selectFrom('executions').select(['input_blob', 'result_blob', 'log_blob']).execute();
  const files = await read.selectFrom('execution_files').select('blob').execute();
  const versions = await read.selectFrom('service_versions').select('source_blob').execute();
  const builds = await read.selectFrom('builds').select('log_blob').execute();
  const marks = await read.selectFrom('installation').select('blob_store').execute();
  // Marked as orphans; swept after an hour.
  const noted = await read.selectFrom('orphan_blobs').select('blob').execute();
  const all = [...executions, ...files, ...versions, ...builds, ...marks, ...noted].flatMap((row): unknown[] =>
    Object.values(row),
  );
  return new Set(all.filter((key) => typeof key === 'string'));
}

function open({ read }: Database) {
  return read.selectFrom('executions').select(['id', 'status']).where('ended_at', 'is', null).execute();
}

function openJobs({ read }: Database) {
  return read.selectFrom('workflow_jobs').select(['id', 'state']).execute();
}

/** A short input is kept with the result, so that the execution can be run again; a long one and secrets are not. */
function secretsOfEnded({ read }: Database) {
  return read
    .selectFrom('executions')
    .select(['id', 'status'])
    .where('ended_at', 'is not', null)
    .where(({ or, eb }) => or([eb('input_blob', 'is not', null), eb('sealed_secrets', 'is not', null)]))
    .execute();
}

async function copies({ read }: Database): Promise<string[]> {
  const rows = await read.selectFrom('log_copies').select('log_id').distinct().execute();
  return rows.map(({ log_id }) => log_id);
}

function inWords(dataDir: string, key: string): string {
  const file = path.join(dataDir, 'blobs', key.slice(0, 2), key);
  if (!existsSync(file)) return key;
  const bytes = readFileSync(file);
  return `${key}, ${bytes.length} bytes, ${JSON.stringify(bytes.toString('latin1', 0, 120))}`;
}

/** Keys of blobs. Unfinished drafts are swept after an hour. */
async function storedIn(dataDir: string, settings: Readonly<Record<string, string>>): Promise<string[]> {
  const blobs = await openBlobs(readConfiguration({ ...settings, KETHUB_DATA_DIR: dataDir }).blobs, dataDir);
  const keys: string[] = [];
  for await (const key of blobs.keys()) keys.push(key);
  return keys;
}
