import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { lockStorage, readStorage, type StorageOwner, type StorageState } from './storage-use.ts';

/** The reason, in words for the owner, why `bytes` more exceed the quota; null if they do not. */
export function lackOfStorage({ used, quota }: Pick<StorageState, 'used' | 'quota'>, bytes: number): string | null {
  if (quota === null || used + bytes <= quota) return null;
  return `The quota is ${quota} bytes, ${used} are in use, and ${bytes} more are needed.`;
}

const REMEDY =
  'Delete executions, data pools or versions that are not needed any more, or ask an administrator for more (`ket storage show` shows what takes how much).';

/** Throws storage-quota-exceeded when `bytes` more exceed the quota of an owner. Counts only what is committed. */
async function requireStorage(platform: Platform, queries: Queries, owner: StorageOwner, bytes: number): Promise<void> {
  const lack = lackOfStorage(await readStorage(platform, queries, owner), bytes);
  if (lack !== null) throw storageProblem(lack);
}

/**
 * {@link requireStorage} in the transaction that writes the bytes. A lock keeps two writers from taking the same bytes.
 */
export async function takeStorage(
  platform: Platform,
  transaction: Queries,
  owner: StorageOwner,
  bytes: number,
): Promise<void> {
  if (bytes <= 0) return;
  await lockStorage(transaction, owner);
  await requireStorage(platform, transaction, owner, bytes);
}

/** Bytes that an owner may still add; null is no limit. */
export async function storageLeft(platform: Platform, owner: StorageOwner): Promise<number | null> {
  const { used, quota } = await readStorage(platform, platform.database.read, owner);
  return quota === null ? null : Math.max(0, quota - used);
}

export function storageProblem(lack: string): Problem {
  return new Problem('storage-quota-exceeded', `${lack} ${REMEDY}`);
}
