import {
  type AccessTokenDto,
  type AccessTokensDto,
  endOfDay,
  limits,
  toDate,
  type CreateAccessTokenRequest,
  type DefaultAccessTokenDto,
} from '@kethub/contract';
import { once, Problem, type IdempotencyKey } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import { audit, ownContext } from '../audit/index.ts';
import { lockAccountShared } from '../deletions/index.ts';
import { createRawToken, digestOf, type AccessTokenRow, type Queries } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { defaultTokenOf, renewDefaultToken } from './default-token.ts';
import { accessTokenDto } from './present.ts';
import { listAccessTokens, insertAccessToken, deleteAccessToken } from './queries.ts';
import { userOf } from './me.ts';
import { invalid } from './invalid.ts';

/** Lists the tokens of the caller: the default token by value, the others by metadata, newest first. */
export async function readAccessTokens(services: AccountServices, person: Person): Promise<AccessTokensDto> {
  const { platform, lastUses } = services;
  const user = await userOf(services, person);
  const defaultToken = await defaultTokenOf(platform, user.id);
  const tokens = await listAccessTokens(platform.database.read, user.id);
  return {
    defaultToken,
    accessTokens: tokens.map((token) => accessTokenDto(lastUses.upToDate(token), null)),
  };
}

/** Creates a personal access token. Only the first answer shows its value, not one repeated by Idempotency-Key. */
export async function createAccessToken(
  services: AccountServices,
  person: Person,
  { name, expiresAt = null, scope }: CreateAccessTokenRequest,
  idempotencyKey: IdempotencyKey,
): Promise<AccessTokenDto> {
  const { platform } = services;
  requireStorable(name);
  requireComing(expiresAt, platform.now());
  if (scope) requireEnd(expiresAt, platform.now());
  const user = await userOf(services, person);
  const value = createRawToken('ket_pat_');
  const row: AccessTokenRow = {
    id: platform.newId(),
    user_id: user.id,
    name,
    digest: digestOf(value),
    sealed_value: null,
    is_default: 0,
    created_at: platform.now(),
    used_at: null,
    expires_on: expiresAt,
    scope: scope ? JSON.stringify(scope) : null,
  };
  const create = async (transaction: Queries): Promise<AccessTokenDto> => {
    await lockAccountShared(platform.database, transaction, user.id);
    await insertAccessToken(transaction, row);
    await audit(platform, transaction, ownContext(user.id), 'access-token:create', row.id, {
      expiresAt,
      ...(scope && { scope }),
    });
    return accessTokenDto(row, value);
  };
  const body = JSON.stringify([name, expiresAt, ...(scope ? [scope] : [])]);
  return once(platform, idempotencyKey, tokenAnswersOf(user.id), body, create, () => accessTokenDto(row, null));
}

/** The scope of idempotency records of created tokens. */
export function tokenAnswersOf(userId: string): string {
  return `access tokens of ${userId}`;
}

/** Refuses U+0000, which PostgreSQL cannot store in a text. */
function requireStorable(name: string): void {
  if (name.includes('\0')) throw invalid('/name', 'must not contain the character U+0000');
}

/** Requires that a token with a scope, which a program keeps, ends within `limits.scopedTokenDays`. */
function requireEnd(expiresAt: string | null, now: number): void {
  const last = now + limits.scopedTokenDays * 86_400_000;
  if (expiresAt !== null && expiresAt <= toDate(last)) return;
  throw invalid('/expiresAt', `must be a day up to ${toDate(last)} for a token with a scope`);
}

/** Requires that `expiresAt` is null, or a day of the calendar that has not ended (UTC). */
function requireComing(expiresAt: string | null, now: number): void {
  if (expiresAt === null) return;
  const end = endOfDay(expiresAt);
  if (end === null) throw invalid('/expiresAt', `must be a day of the calendar; there is no ${expiresAt}`);
  if (end < now) throw invalid('/expiresAt', `must not be in the past; today is ${toDate(now)} (UTC)`);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Deletes a token of the caller, whose next use is answered with 401. Throws 404 for a token of another user. */
export async function removeAccessToken({ platform }: AccountServices, person: Person, id: string): Promise<void> {
  const gone =
    UUID.test(id) &&
    (await platform.database.write(async (transaction) => {
      const deleted = await deleteAccessToken(transaction, person.id, id.toLowerCase());
      if (deleted) await audit(platform, transaction, ownContext(person.id), 'access-token:delete', id.toLowerCase());
      return deleted;
    }));
  if (!gone) throw new Problem('not-found', 'You have no access token of this id. GET /me/access-tokens lists yours.');
}

/** Replaces the default token of the caller. The previous one is invalid at once. */
export async function putDefaultToken(services: AccountServices, person: Person): Promise<DefaultAccessTokenDto> {
  const user = await userOf(services, person);
  return { defaultToken: await renewDefaultToken(services.platform, user.id) };
}
