import type { StorageRecount } from '@kethub/contract';
import { sql, type RawBuilder } from 'kysely';
import { audit, ownContext } from '../../people/audit/index.ts';
import type { Person, Platform } from '../../foundation/platform.ts';
import { dialectOf, isOutage, type Blobs, type OwnerType, type Queries } from '../../foundation/storage/index.ts';
import { readStorage, type StorageOwner } from './storage-use.ts';

/** Owners that one query reads. */
const PAGE = 500;
/** Attempts to get the lock for one owner. After the last one the recount fails. */
const ATTEMPTS = 20;
/** Milliseconds that an attempt waits for the lock. Writers that arrive meanwhile wait no longer than this. */
const LOCK_MS = 500;

/**
 * `POST /storage/recount`: counts the storage of every owner anew, one owner after the other, and corrects the
 * counters.
 */
export async function recountStorage(platform: Platform, administrator: Person): Promise<StorageRecount> {
  const corrected: StorageRecount['corrected'] = [];
  let owners = 0;
  let after: StorageOwner | null = null;
  for (;;) {
    const page: StorageOwner[] = await ownersAfter(platform.database.read, after);
    for (const owner of page) {
      const { before, now } = await recountOwner(platform, owner);
      owners += 1;
      if (before !== now) corrected.push({ ownerType: owner.type, ownerId: owner.id, before, after: now });
    }
    after = page.at(-1) ?? null;
    if (page.length < PAGE) break;
  }
  await platform.database.write(
    (transaction) =>
    audit(platform, transaction, ownContext(administrator.id), 'storage:recount', 'storage', { owners, corrected: corrected.length }), // prettier-ignore
  );
  return { owners, corrected };
}

async function ownersAfter(read: Queries, after: StorageOwner | null): Promise<StorageOwner[]> {
  const from = after ?? { type: '', id: '' };
  const { rows } = await sql<{ owner_type: OwnerType; owner_id: string }>`select owner_type, owner_id from (
      select owner_type, owner_id from storage_use union select owner_type, owner_id from services
      union select owner_type, owner_id from data_pools) as owners
    where (owner_type, owner_id) > (${from.type}, ${from.id}) order by owner_type, owner_id limit ${PAGE}`.execute(
    read,
  );
  return rows.map((row) => ({ type: row.owner_type, id: row.owner_id }));
}

async function recountOwner(
  platform: Platform,
  owner: StorageOwner,
): Promise<{ readonly before: number; readonly now: number }> {
  await measureBlobs(platform, owner);
  for (let attempt = 1; ; attempt++) {
    try {
      return await platform.database.write(async (transaction) => {
        await lockCounts(transaction);
        const { used: before } = await readStorage(platform, transaction, owner);
        await countAnew(transaction, owner);
        const { used: now } = await readStorage(platform, transaction, owner);
        return { before, now };
      });
    } catch (error) {
      if (attempt === ATTEMPTS || isOutage(error) || !isLockTimeout(error)) throw error;
    }
  }
}

/** Locks the counters. Later writers wait until the transaction ends; the transaction waits for earlier writers. */
async function lockCounts(transaction: Queries): Promise<void> {
  if (dialectOf(transaction) === 'sqlite') return;
  await sql`select set_config('lock_timeout', ${String(LOCK_MS)}, true)`.execute(transaction);
  await sql`lock table storage_use in share row exclusive mode`.execute(transaction);
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}

async function countAnew(transaction: Queries, { type, id }: StorageOwner): Promise<void> {
  const of = sql`owner_type = ${type} and owner_id = ${id}`;
  await sql`delete from storage_use where ${of}`.execute(transaction);
  const octets = (column: string): RawBuilder<unknown> =>
    dialectOf(transaction) === 'sqlite'
      ? sql`coalesce(length(cast(${sql.ref(column)} as blob)), 0)`
      : sql`coalesce(octet_length(${sql.ref(column)}), 0)`;
  const inBlob = (part: string): RawBuilder<unknown> =>
    sql`case when ${sql.ref(`${part}_blob`)} is null then 0 else coalesce(${sql.ref(`${part}_bytes`)}, 0) end`;
  const whole = (part: string): RawBuilder<unknown> => sql`${octets(part)} + ${inBlob(part)}`;
  const sum = (bytes: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce(sum(${bytes}), 0)`;
  await sql`insert into storage_use (owner_type, owner_id, shard, inputs, results, files, logs, data_pools, services)
    select cast(${type} as text), cast(${id} as text), 0, ${sum(whole('input'))},
      ${sum(sql`${whole('result')} + ${octets('cause')} + ${octets('record')}`)}, ${sum(sql`coalesce(file_bytes, 0)`)},
      ${sum(whole('log'))}, (select coalesce(sum(bytes), 0) from data_pools where ${of}),
      (select coalesce(sum(stored_bytes), 0) from services where ${of})
    from executions where ${of}`.execute(transaction);
}

/** Executions that one query reads. */
const MEASURED_AT_ONCE = 100;

/** Measures blobs whose size an earlier version of the platform has not stored. A missing blob has 0 bytes. */
async function measureBlobs(platform: Platform, owner: StorageOwner): Promise<void> {
  const { database, blobs } = platform;
  for (;;) {
    const rows = await database.read
      .selectFrom('executions')
      .select(['id', 'result_blob', 'log_blob', 'result_bytes', 'log_bytes'])
      .where('owner_type', '=', owner.type)
      .where('owner_id', '=', owner.id)
      .where((where) =>
        where.or([
          where.and([where('result_blob', 'is not', null), where('result_bytes', 'is', null)]),
          where.and([where('log_blob', 'is not', null), where('log_bytes', 'is', null)]),
        ]),
      )
      .limit(MEASURED_AT_ONCE)
      .execute();
    for (const { id, result_blob, log_blob, ...known } of rows) {
      const result_bytes = known.result_bytes ?? (await sizeOf(blobs, result_blob));
      const log_bytes = known.log_bytes ?? (await sizeOf(blobs, log_blob));
      await database.write((transaction) =>
        transaction.updateTable('executions').set({ result_bytes, log_bytes }).where('id', '=', id).execute(),
      );
    }
    if (rows.length < MEASURED_AT_ONCE) return;
  }
}

async function sizeOf(blobs: Blobs, blob: string | null): Promise<number | null> {
  if (blob === null) return null;
  try {
    const { bytes, stream } = await blobs.get(blob, { from: 0, to: 0 });
    stream.destroy();
    return bytes;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}
