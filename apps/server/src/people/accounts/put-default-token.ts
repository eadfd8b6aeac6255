import type { DefaultAccessTokenDto } from '@kethub/contract';
import type { Answer } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import type { AccountServices } from './services.ts';
import { renewDefaultToken } from './default-token.ts';
import { secretAnswer } from './read-access-tokens.ts';
import { userOf } from './read-me.ts';

/** Replaces the default token of the caller. The previous one is invalid at once. */
export async function putDefaultToken(services: AccountServices, person: Person): Promise<Answer> {
  const user = await userOf(services, person);
  const body: DefaultAccessTokenDto = { defaultToken: await renewDefaultToken(services.platform, user.id) };
  return { status: 200, headers: secretAnswer, body };
}
