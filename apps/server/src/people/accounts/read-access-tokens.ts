import type { AccessTokensDto } from '@kethub/contract';
import type { Answer } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import type { AccountServices } from './services.ts';
import { defaultTokenOf } from './default-token.ts';
import { accessTokenDto } from './present.ts';
import { listAccessTokens } from './queries.ts';
import { userOf } from './read-me.ts';

/** Lists the tokens of the caller: the default token by value, the others by metadata, newest first. */
export async function readAccessTokens(services: AccountServices, person: Person): Promise<Answer> {
  const { platform, lastUses } = services;
  const user = await userOf(services, person);
  const defaultToken = await defaultTokenOf(platform, user.id);
  const tokens = await listAccessTokens(platform.database.read, user.id);
  const body: AccessTokensDto = {
    defaultToken,
    accessTokens: tokens.map((token) => accessTokenDto(lastUses.upToDate(token), null)),
  };
  return { status: 200, headers: secretAnswer, body };
}

/** Headers of an answer with a raw token, which must not be cached. */
export const secretAnswer = { 'cache-control': 'no-store' };
