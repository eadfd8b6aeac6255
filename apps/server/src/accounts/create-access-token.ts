import { endOfDay, toDate, type CreateAccessTokenRequest } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { holdAccount } from '../deletions/index.ts';
import { once, type Answer } from '../http/index.ts';
import type { Person, Platform } from '../platform.ts';
import { createRawToken, digestOf, type AccessTokenRow } from '../storage/index.ts';
import type { AccountServices } from './accounts.ts';
import { invalid } from './invalid.ts';
import { accessTokenDto } from './present.ts';
import { insertAccessToken } from './queries.ts';
import { secretAnswer } from './read-access-tokens.ts';
import { userOf } from './read-me.ts';

/** Makes a personal access token; this answer alone shows its value. */
export async function createAccessToken(
  services: AccountServices,
  person: Person,
  { name, expiresAt = null }: CreateAccessTokenRequest,
  request: FastifyRequest,
): Promise<Answer> {
  const { platform } = services;
  requireStorable(name);
  requireComing(expiresAt, platform.now());
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
  };
  return onceSealed(platform, request, user.id, JSON.stringify([name, expiresAt]), async (transaction) => {
    await holdAccount(platform.database, transaction, user.id);
    await insertAccessToken(transaction, row);
    return { status: 200, headers: secretAnswer, body: accessTokenDto(row, value) };
  });
}

/** Where the answers are kept that are repeated under an Idempotency-Key. */
export function tokenAnswersOf(userId: string): string {
  return `access tokens of ${userId}`;
}

/**
 * `once`, with the answer kept sealed: under an Idempotency-Key it is stored for a day to be given again, and it holds
 * the value of a token, which is otherwise stored nowhere.
 */
async function onceSealed(
  platform: Platform,
  request: FastifyRequest,
  userId: string,
  body: string,
  create: (...parameters: Parameters<Parameters<typeof once>[5]>) => Promise<Answer>,
): Promise<Answer> {
  const scope = tokenAnswersOf(userId);
  const kept = await once(platform.database, request, scope, body, platform.now(), async (transaction) => {
    const answer = await create(transaction);
    return { ...answer, body: platform.seal.seal(scope, JSON.stringify(answer.body)) };
  });
  return { ...kept, body: JSON.parse(platform.seal.unseal(scope, String(kept.body))) };
}

/** PostgreSQL has no place for U+0000 in a text. */
function requireStorable(name: string): void {
  if (name.includes('\0')) throw invalid('/name', 'must not contain the character U+0000');
}

/** Requires a day that exists and has not ended (UTC), if any. */
function requireComing(expiresAt: string | null, now: number): void {
  if (expiresAt === null) return;
  const end = endOfDay(expiresAt);
  if (end === null) throw invalid('/expiresAt', `must be a day of the calendar; there is no ${expiresAt}`);
  if (end < now) throw invalid('/expiresAt', `must not be in the past; today is ${toDate(now)} (UTC)`);
}
