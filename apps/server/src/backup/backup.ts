import { execFile } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Refusal, type Configuration } from '../foundation/config/index.ts';
import { blobPath, isUpToDate, openBlobs } from '../foundation/storage/index.ts';
import { withBlobsHeld } from './hold.ts';
import { Checksums, names, writeManifest, type Manifest } from './manifest.ts';
import { storedDatabase } from './stored.ts';

const run = promisify(execFile);

/**
 * Writes a backup of an installation into a new or empty folder, also while its platform runs. The database is copied
 * first, as it is at one moment; blobs never change, and none is removed until all are copied; repositories come last.
 */
export async function backUp(
  configuration: Configuration,
  folder: string,
  version: string,
): Promise<Omit<Manifest, 'form'>> {
  await openFolder(folder);
  const database = storedDatabase(configuration);
  if (await database.isEmpty())
    throw new Refusal('There is no installation: the database is empty. Check KETHUB_DATA_DIR and DATABASE_URL.');
  const migrations = await database.migrations();
  if (!isUpToDate(migrations))
    throw new Refusal(
      'The platform has another version than this program. Back it up with the program of its version.',
    );
  requireRepositories(configuration, await database.pushed());
  const checksums = new Checksums(folder);
  const sealedCheck = await database.sealedCheck();
  const blobs = await withBlobsHeld(database, async () => {
    await database.dumpTo(path.join(folder, names.database));
    await checksums.add(names.database);
    return await copyBlobs(configuration, folder, checksums);
  });
  const repositories = await copyRepositories(configuration, folder, checksums);
  const manifest = {
    createdAt: new Date().toISOString(),
    version,
    database: database.kind,
    migrations,
    sealedCheck,
    blobs,
    repositories,
    bytes: checksums.bytes,
    checksums: await checksums.end(),
  };
  await writeManifest(folder, manifest);
  return manifest;
}

/** Makes the folder, or takes an empty one, and lets nobody else read it. */
async function openFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Refusal(`${folder} is not empty. Choose another folder.`);
  await chmod(folder, 0o700).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM')
      throw new Refusal(`${folder} belongs to another user, who could read the backup. Choose a new folder.`);
    throw error;
  });
}

/** Throws Refusal on a machine that has none of the repositories: only the role `git` has them. */
function requireRepositories({ dataDir }: Configuration, ids: readonly string[]): void {
  const folder = path.join(dataDir, 'repositories');
  if (ids.length === 0 || ids.some((id) => existsSync(path.join(folder, id.slice(-2), `${id}.git`)))) return;
  throw new Refusal(
    `The repositories of the implementations are not in ${folder}. Take the backup on the machine of the role git, with its KETHUB_DATA_DIR.`,
  );
}

async function copyBlobs({ blobs, dataDir }: Configuration, folder: string, checksums: Checksums): Promise<number> {
  const store = await openBlobs(blobs, dataDir);
  let count = 0;
  for await (const key of store.keys()) {
    const name = `${names.blobs}/${blobPath(key)}`;
    const target = path.join(folder, name);
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    try {
      const { stream } = await store.get(key);
      await pipeline(stream, createWriteStream(target, { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      // One that no row refers to any more when the hold began.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') continue;
      throw error;
    }
    await checksums.add(name);
    count++;
  }
  return count;
}

/** Git copies each repository whole, also during pushes. */
async function copyRepositories({ dataDir }: Configuration, folder: string, checksums: Checksums): Promise<number> {
  const from = path.join(dataDir, 'repositories');
  let count = 0;
  for (const shard of existsSync(from) ? await readdir(from) : []) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    for (const name of await readdir(path.join(from, shard))) {
      if (!name.endsWith('.git')) continue;
      const source = path.join(from, shard, name);
      const target = path.join(folder, names.repositories, shard, name);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      try {
        await git(['clone', '--quiet', '--mirror', '--no-local', '--template=', source, target]);
        await git(['--git-dir', target, 'config', '--remove-section', 'remote.origin']);
      } catch (error) {
        // A repository that was deleted meanwhile is in the trash.
        if (!existsSync(source)) continue;
        throw error;
      }
      for (const entry of await readdir(target, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) await checksums.add(path.relative(folder, path.join(entry.parentPath, entry.name)));
      count++;
    }
  }
  return count;
}

/** Runs Git without the settings of the machine and of its user. */
async function git(args: readonly string[]): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
  await run('git', [...args], { env, maxBuffer: 1024 * 1024 });
}
