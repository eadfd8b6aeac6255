import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { lockStorage, takeStorage, type StorageOwner } from '../quotas/index.ts';
import {
  markOrphans,
  claimBlob,
  type DataPoolFileRow,
  type DataPoolRow,
  type Queries,
} from '../../foundation/storage/index.ts';
import { countFiles, lockPool } from './queries.ts';
import type { ReferencedPool } from './references.ts';
import { mayChange } from './rights-of-grant.ts';
import { DEFAULT_MEDIA_TYPE, requirePoolCapacity } from './upload-file.ts';

export interface StoredFile {
  readonly blob: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/**
 * A change of one file by an execution. `before` is the digest of the content that the execution was given; null is no
 * file.
 */
export interface WrittenChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: StoredFile | null;
}

export interface WrittenPool {
  readonly pool: ReferencedPool;
  readonly changes: readonly WrittenChange[];
}

/** The changes of an execution to its data pools. The contents are stored as unused blobs. */
export interface WrittenChanges {
  readonly pools: readonly WrittenPool[];
}

/** Keys in one statement, fewer than both databases accept. More take further statements. */
const CHUNK = 500;
const WITHDRAWN =
  'The data pool is gone, or whoever made the grant may not change it any more. Ask for another grant, then start the execution again.';

type Before = ReadonlyMap<string, DataPoolFileRow>;

/** Changes that {@link judgeWritten} has accepted and {@link applyWritten} makes in the same transaction. */
export type Judged = readonly { readonly written: WrittenPool; readonly before: Before }[];

/**
 * Locks the pools, in the order of their ids, and then the storage of all owners. Checks whether all changes of an
 * execution can be kept; a text says why not. `besides` are the bytes that the same transaction adds to an owner's
 * storage.
 */
export async function judgeWritten(
  platform: Platform,
  transaction: Queries,
  { pools }: WrittenChanges,
  besides: { readonly owner: StorageOwner; readonly bytes: number } | null,
): Promise<Judged | string> {
  const changed = pools.filter(({ changes }) => changes.length > 0).sort((a, b) => (a.pool.id < b.pool.id ? -1 : 1));
  const rows: (readonly [WrittenPool, DataPoolRow])[] = [];
  for (const written of changed) {
    const row = await lockPool(platform.database, transaction, written.pool.id);
    if (!row || !(await mayChange(transaction, row, written.pool))) return WITHDRAWN;
    rows.push([written, row]);
  }
  const owners = [...rows.map(([, row]) => ownerOf(row)), ...(besides === null ? [] : [besides.owner])];
  const sorted = owners.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (rows.length > 0) for (const one of sorted) await lockStorage(transaction, one);
  const judged: { readonly written: WrittenPool; readonly before: Before }[] = [];
  const added = new Map(besides === null ? [] : [[keyOf(besides.owner), besides.bytes]]);
  for (const [written, row] of rows) {
    const names = written.changes.map(({ name }) => name);
    const before = await filesNamed(transaction, row.id, names);
    const touched = written.changes.find((change) => isTouched(change, before));
    if (touched)
      return `Somebody else has changed ${JSON.stringify(touched.name)} while the execution ran. Start it again.`;
    const { files, bytes } = sumOf(written, before);
    const owner = ownerOf(row);
    const sum = (added.get(keyOf(owner)) ?? 0) + bytes;
    added.set(keyOf(owner), sum);
    try {
      if (bytes > 0 || files > 0) requirePoolCapacity(platform, row, bytes, files);
      if (bytes > 0) await takeStorage(platform, transaction, owner, sum);
    } catch (error) {
      if (error instanceof Problem) return error.message;
      throw error;
    }
    judged.push({ written, before });
  }
  return judged;
}

/** Makes all changes in the transaction that judged them. Returns the blobs that nothing refers to any more. */
export async function applyWritten(platform: Platform, transaction: Queries, judged: Judged): Promise<string[]> {
  const now = platform.now();
  const unused: string[] = [];
  for (const { written, before } of judged) {
    const { pool, changes } = written;
    const replaced = changes.flatMap(({ name }) => before.get(name) ?? []);
    const rows: DataPoolFileRow[] = [];
    for (const { name, after } of changes) {
      const old = before.get(name);
      // Another execution has written the same content.
      if (!after || after.digest === old?.digest) continue;
      await claimBlob(transaction, after.blob);
      const made = {
        id: platform.newId(),
        data_pool_id: pool.id,
        name,
        media_type: DEFAULT_MEDIA_TYPE,
        created_at: now,
      };
      rows.push({ ...made, ...old, ...after, updated_at: now });
    }
    const kept = new Set(
      changes.flatMap(({ name, after }) => (after && after.digest === before.get(name)?.digest ? [name] : [])),
    );
    const gone = replaced.filter(({ name }) => !kept.has(name));
    for (const some of chunks(gone.map(({ id }) => id)))
      await transaction.deleteFrom('data_pool_files').where('id', 'in', some).execute();
    for (const some of chunks(rows)) await transaction.insertInto('data_pool_files').values(some).execute();
    await countFiles(transaction, pool.id, sumOf(written, before));
    const blobs = gone.map(({ blob }) => blob);
    await markOrphans(transaction, blobs, now);
    unused.push(...blobs);
  }
  return unused;
}

/** The blobs of all contents that were stored for these changes. */
export function blobsOf({ pools }: WrittenChanges): string[] {
  return pools.flatMap(({ changes }) => changes.flatMap(({ after }) => (after ? [after.blob] : [])));
}

/** Returns whether the file has neither the content that the execution was given nor the one that it has written. */
function isTouched({ name, before, after }: WrittenChange, files: Before): boolean {
  const now = files.get(name)?.digest ?? null;
  return now !== before && now !== (after?.digest ?? null);
}

function sumOf({ changes }: WrittenPool, files: Before): { readonly files: number; readonly bytes: number } {
  const sum = { files: 0, bytes: 0 };
  for (const { name, after } of changes) {
    const old = files.get(name);
    sum.files += (after ? 1 : 0) - (old ? 1 : 0);
    sum.bytes += (after?.bytes ?? 0) - (old?.bytes ?? 0);
  }
  return sum;
}

async function filesNamed(transaction: Queries, poolId: string, names: readonly string[]): Promise<Before> {
  const files = new Map<string, DataPoolFileRow>();
  for (const some of chunks(names)) {
    const query = transaction.selectFrom('data_pool_files').selectAll().where('data_pool_id', '=', poolId);
    for (const row of await query.where('name', 'in', some).execute()) files.set(row.name, row);
  }
  return files;
}

function chunks<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / CHUNK);
  return Array.from({ length: count }, (_, index) => all.slice(index * CHUNK, (index + 1) * CHUNK));
}

function keyOf({ type, id }: StorageOwner): string {
  return `${type} ${id}`;
}

function ownerOf({ owner_type: type, owner_id: id }: DataPoolRow): StorageOwner {
  return { type, id };
}
