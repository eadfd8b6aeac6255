import { createReadStream, existsSync } from 'node:fs';
import { chmod, cp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Refusal, type Configuration } from '../foundation/config/index.ts';
import { openDataFolder, takePart } from '../foundation/process/index.ts';
import {
  blobPath,
  createSeal,
  instanceKey,
  isSealedBy,
  openBlobs,
  unknownMigrations,
  type Blobs,
} from '../foundation/storage/index.ts';
import { names, readBackup, type Manifest } from './manifest.ts';
import { storedDatabase, type StoredDatabase } from './stored.ts';

/**
 * Restores a backup into an empty installation, whose platform does not run. Everything is checked before anything is
 * written. The database comes last: without it, what was written before belongs to nothing.
 */
export async function restore(configuration: Configuration, folder: string): Promise<Manifest> {
  const manifest = await readBackup(folder);
  const { dataDir } = configuration;
  const database = storedDatabase(configuration);
  requireCompatible(manifest, database);
  openDataFolder(dataDir);
  const parts = (['worker', 'api', 'git', 'git-beside'] as const).map((part) => takePart(dataDir, part));
  try {
    requireKey(configuration, manifest);
    const blobs = await openBlobs(configuration.blobs, dataDir);
    const repositories = path.join(dataDir, 'repositories');
    await requireEmpty(database, blobs, repositories);
    await fillBlobs(blobs, path.join(folder, names.blobs));
    await fillRepositories(repositories, path.join(folder, names.repositories));
    await database.fillFrom(path.join(folder, names.database));
  } finally {
    for (const release of parts) release();
  }
  return manifest;
}

function requireCompatible(manifest: Manifest, database: StoredDatabase): void {
  const unknown = unknownMigrations(manifest.migrations);
  if (unknown.length > 0)
    throw new Refusal(`The backup is of a newer version (${unknown.join(', ')}). Restore it with that version.`);
  if (manifest.database !== database.kind)
    throw new Refusal(
      manifest.database === 'sqlite'
        ? 'The backup has a SQLite, and DATABASE_URL names a PostgreSQL. Leave DATABASE_URL out.'
        : 'The backup is of a PostgreSQL. Name an empty one in DATABASE_URL.',
    );
}

/** The key is no part of a backup. It must be there before, so that none is made by chance. */
function requireKey({ dataDir, instanceKey: configured }: Configuration, { sealedCheck }: Manifest): void {
  const file = path.join(dataDir, 'instance.key');
  if (configured === null && !existsSync(file))
    throw new Refusal(
      `The instance key is missing, without which no secret of the backup can be read. Put it into ${file}, or set KETHUB_INSTANCE_KEY.`,
    );
  if (!isSealedBy(createSeal(instanceKey(dataDir, configured)), sealedCheck))
    throw new Refusal(
      `The instance key is another one than that of the backup. Put the key of that installation into ${file}, or set KETHUB_INSTANCE_KEY.`,
    );
}

async function requireEmpty(database: StoredDatabase, blobs: Blobs, repositories: string): Promise<void> {
  const again = 'Restore into an empty installation; after a restore that was cut off, empty it first.';
  if (!(await database.isEmpty())) {
    const files = database.kind === 'sqlite' ? ': there is kethub.db, kethub.db-wal, -shm or -journal' : '';
    throw new Refusal(`The database is not empty${files}. ${again}`);
  }
  for await (const key of blobs.keys()) throw new Refusal(`The store of files is not empty: it has ${key}. ${again}`);
  if (existsSync(repositories) && (await readdir(repositories)).length > 0)
    throw new Refusal(`${repositories} is not empty. ${again}`);
}

async function fillBlobs(blobs: Blobs, from: string): Promise<void> {
  for (const shard of existsSync(from) ? await readdir(from) : [])
    for (const key of await readdir(path.join(from, shard)))
      await blobs.put(createReadStream(path.join(from, blobPath(key))), key);
}

async function fillRepositories(repositories: string, from: string): Promise<void> {
  if (!existsSync(from)) return;
  const draft = `${repositories}.restored`;
  await rm(draft, { recursive: true, force: true });
  await cp(from, draft, { recursive: true });
  await chmod(draft, 0o700);
  await rm(repositories, { recursive: true, force: true });
  await rename(draft, repositories);
}
