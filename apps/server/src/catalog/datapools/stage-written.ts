import { createReadStream } from 'node:fs';
import path from 'node:path';
import { isFileName } from '@kethub/contract';
import type { ExecutionEnd, OutputFile } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import { storageLeft } from '../quotas/index.ts';
import { digestOfFile, markOrphans } from '../../foundation/storage/index.ts';
import type { StoredFile, WrittenChange, WrittenChanges, WrittenPool } from './apply-written.ts';
import { folderOf } from './mounts.ts';
import { findPool } from './queries.ts';
import type { ReferencedPool, ReferencedPools } from './references.ts';
import { readBase, type Base } from './writable-copy.ts';

/** A change whose content is not stored yet. */
interface Draft {
  readonly name: string;
  readonly before: string | null;
  readonly after: { readonly file: OutputFile; readonly digest: string } | null;
}

const OLDER_RUNNER = 'The program ran on a worker of an older version, which keeps no changes. Start it again.';

/**
 * Finds what a SUCCEEDED execution has changed in its data pools, and stores the contents. Their blobs are marked as
 * orphans until `applyWritten` refers to them. Null when it had no writable pool; a text says why nothing can be
 * kept.
 */
export async function stageWritten(
  platform: Platform,
  end: ExecutionEnd,
  referenced: ReferencedPools,
): Promise<WrittenChanges | string | null> {
  const folder = folderOf(platform, end.executionId);
  const found: { readonly pool: ReferencedPool; readonly drafts: readonly Draft[] }[] = [];
  const reported = end.dataPools ?? [];
  for (const [index, pool] of referenced.pools.entries()) {
    const base = await readBase(path.join(folder, String(index)));
    const written = reported.find(({ parameter }) => parameter === pool.parameter);
    if (base === null && written === undefined) continue;
    if (base === null) return 'What the data pool held at first is not known any more.';
    if (written === undefined) return OLDER_RUNNER;
    const wrong = written.files.find(({ name }) => !isFileName(name));
    if (wrong) return `${JSON.stringify(wrong.name)} cannot be the name of a file in a data pool.`;
    found.push({ pool, drafts: await draftsOf(base, written.files) });
  }
  if (found.length === 0) return null;
  const lack = await lackOf(platform, found);
  if (lack !== null) return lack;
  return { pools: await storeAll(platform, found) };
}

async function draftsOf(base: Base, files: readonly OutputFile[]): Promise<Draft[]> {
  const left = new Map(base);
  const drafts: Draft[] = [];
  for (const file of files) {
    const before = left.get(file.name) ?? null;
    left.delete(file.name);
    const digest = await digestOfFile(file.path);
    if (digest !== before) drafts.push({ name: file.name, before, after: { file, digest } });
  }
  for (const [name, before] of left) drafts.push({ name, before, after: null });
  return drafts;
}

/**
 * Estimates, before anything is stored, whether the quota suffices; a text says why not. `judgeWritten` is exact.
 */
async function lackOf(
  platform: Platform,
  found: readonly { readonly pool: ReferencedPool; readonly drafts: readonly Draft[] }[],
): Promise<string | null> {
  for (const { pool, drafts } of found) {
    const row = await findPool(platform.database.read, pool.id);
    if (!row) return null; // judgeWritten reports the missing pool
    const more = drafts.reduce((sum, { after }) => sum + (after?.file.bytes ?? 0), 0) - row.bytes;
    const left = await storageLeft(platform, { type: row.owner_type, id: row.owner_id });
    if (left !== null && more > left)
      return `The owner of the data pool has ${left} bytes left of its quota, and at least ${more} are needed.`;
  }
  return null;
}

async function storeAll(
  platform: Platform,
  found: readonly { readonly pool: ReferencedPool; readonly drafts: readonly Draft[] }[],
): Promise<WrittenPool[]> {
  const { blobs, database } = platform;
  const pools: WrittenPool[] = [];
  for (const { pool, drafts } of found) {
    const changes: WrittenChange[] = [];
    for (const { name, before, after } of drafts) changes.push({ name, before, after: after && (await store(after)) });
    pools.push({ pool, changes });
  }
  return pools;

  async function store({ file, digest }: NonNullable<Draft['after']>): Promise<StoredFile> {
    const blob = blobs.newKey();
    await database.write((transaction) => markOrphans(transaction, [blob], platform.now()));
    await blobs.put(createReadStream(file.path), blob);
    return { blob, bytes: file.bytes, digest };
  }
}
