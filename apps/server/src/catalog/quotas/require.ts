import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { lockStorage, readStorage, type StorageOwner, type StorageState } from './storage-use.ts';

/** Why `bytes` more do not fit, in words for the owner; null when they do. */
export function lackOfStorage({ used, quota }: Pick<StorageState, 'used' | 'quota'>, bytes: number): string | null {
  if (quota === null || used + bytes <= quota) return null;
  return `The quota is ${quota} bytes, ${used} are in use, and ${bytes} more are needed.`;
}

const REMEDY =
  'Delete executions, data pools or versions that are not needed any more, or ask an administrator for more (`ket storage show` shows what takes how much).';

/** Throws storage-quota-exceeded when an owner has no room for `bytes` more. Decided from what is written already. */
export async function requireStorage(
  platform: Platform,
  queries: Queries,
  owner: StorageOwner,
  bytes: number,
): Promise<void> {
  const lack = lackOfStorage(await readStorage(platform, queries, owner), bytes);
  if (lack !== null) throw storageProblem(lack);
}

/** The same inside the transaction that writes the bytes: of those that come at once, no two take the same room. */
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

/** How many bytes an owner may add; null is no limit. */
export async function storageLeft(platform: Platform, owner: StorageOwner): Promise<number | null> {
  const { used, quota } = await readStorage(platform, platform.database.read, owner);
  return quota === null ? null : Math.max(0, quota - used);
}

export function storageProblem(lack: string): Problem {
  return new Problem('storage-quota-exceeded', `${lack} ${REMEDY}`);
}
