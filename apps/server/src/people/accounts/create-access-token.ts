import { endOfDay, toDate, type CreateAccessTokenRequest } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { audit, ownContext } from '../audit/index.ts';
import { lockAccountShared } from '../deletions/index.ts';
import { once, type Answer } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import { createRawToken, digestOf, type AccessTokenRow, type Queries } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { invalid } from './invalid.ts';
import { accessTokenDto } from './present.ts';
import { insertAccessToken } from './queries.ts';
import { secretAnswer } from './read-access-tokens.ts';
import { userOf } from './read-me.ts';

/** Creates a personal access token. Only the first answer shows its value, not one repeated by Idempotency-Key. */
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
  const answer = (shown: string | null): Answer => ({
    status: 200,
    headers: secretAnswer,
    body: accessTokenDto(row, shown),
  });
  const create = async (transaction: Queries): Promise<Answer> => {
    await lockAccountShared(platform.database, transaction, user.id);
    await insertAccessToken(transaction, row);
    await audit(platform, transaction, ownContext(user.id), 'access-token:create', row.id, { expiresAt });
    return answer(value);
  };
  const body = JSON.stringify([name, expiresAt]);
  return once(platform, request.headers['idempotency-key'], tokenAnswersOf(user.id), body, create, () => answer(null));
}

/** The scope of idempotency records of created tokens. */
export function tokenAnswersOf(userId: string): string {
  return `access tokens of ${userId}`;
}

/** Refuses U+0000, which PostgreSQL cannot store in a text. */
function requireStorable(name: string): void {
  if (name.includes('\0')) throw invalid('/name', 'must not contain the character U+0000');
}

/** Requires that `expiresAt` is null, or a day of the calendar that has not ended (UTC). */
function requireComing(expiresAt: string | null, now: number): void {
  if (expiresAt === null) return;
  const end = endOfDay(expiresAt);
  if (end === null) throw invalid('/expiresAt', `must be a day of the calendar; there is no ${expiresAt}`);
  if (end < now) throw invalid('/expiresAt', `must not be in the past; today is ${toDate(now)} (UTC)`);
}
