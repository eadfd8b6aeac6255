import { audit, ownContext } from '../audit/index.ts';
import { lockAccountShared } from '../deletions/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { createRawToken, digestOf, type AccessTokenRow } from '../../foundation/storage/index.ts';
import { findDefaultToken, insertDefaultToken, replaceDefaultToken } from './queries.ts';

/** The raw value of the default token of a user. The first read creates it; concurrent first reads get the same one. */
export async function defaultTokenOf(platform: Platform, userId: string): Promise<string> {
  const known = await findDefaultToken(platform.database.read, userId);
  if (known) return open(platform, known);
  const kept = await platform.database.write(async (transaction) => {
    await lockAccountShared(platform.database, transaction, userId);
    await insertDefaultToken(transaction, newDefaultToken(platform, userId).row);
    return findDefaultToken(transaction, userId);
  });
  if (!kept) throw new Error(`The default token of user ${userId} was deleted while it was being made`);
  return open(platform, kept);
}

/** Replaces the default token. The previous one is invalid as soon as this has resolved. */
export async function renewDefaultToken(platform: Platform, userId: string): Promise<string> {
  const { row, value } = newDefaultToken(platform, userId);
  await platform.database.write(async (transaction) => {
    await lockAccountShared(platform.database, transaction, userId);
    await replaceDefaultToken(transaction, row);
    await audit(platform, transaction, ownContext(userId), 'access-token:renew', row.id);
  });
  return value;
}

/** Creates the row of a default token. Its value is stored sealed, because every read shows it. It never expires. */
function newDefaultToken(platform: Platform, userId: string): { row: AccessTokenRow; value: string } {
  const value = createRawToken('ket_pat_');
  const row: AccessTokenRow = {
    id: platform.newId(),
    user_id: userId,
    name: 'Default token',
    digest: digestOf(value),
    sealed_value: platform.seal.seal(purposeOf(userId), value),
    is_default: 1,
    created_at: platform.now(),
    used_at: null,
    expires_on: null,
    scope: null,
  };
  return { row, value };
}

function open(platform: Platform, { user_id, sealed_value }: AccessTokenRow): string {
  if (sealed_value === null) throw new Error(`The default token of user ${user_id} has no sealed value`);
  return platform.seal.unseal(purposeOf(user_id), sealed_value);
}

/** The purpose of the seal. It names the user, so that a value copied to another user's row cannot be unsealed. */
function purposeOf(userId: string): string {
  return `default token of ${userId}`;
}
