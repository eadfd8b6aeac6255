import type { PersonalAccessTokenPrincipal } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import { isApproved } from '../identity/index.ts';
import type { AccountServices } from './services.ts';
import { notAuthenticated } from './credentials.ts';
import { tokenMetadata } from './present.ts';
import { outsideScope, scopeOf } from './token-scope.ts';

/**
 * The user of a token. Throws 401 if it is missing, expired, malformed or unknown, 403 if its user may not
 * authenticate.
 */
export async function authorize(
  { platform, identity, verifyPersonalAccessToken }: AccountServices,
  rawToken: string | undefined,
): Promise<PersonalAccessTokenPrincipal> {
  if (!rawToken) throw notAuthenticated('Send the personal access token in X-Auth-Token.');
  const verified = await verifyPersonalAccessToken(rawToken);
  if (!verified) {
    throw notAuthenticated('The personal access token is expired, malformed or unknown.', 'invalid_token');
  }
  if (scopeOf(verified.token) !== null)
    throw outsideScope('A token with a scope is for the platform interface; other services do not know its limits.');
  const user = await identity.find(verified.userId);
  if (!user || !isApproved(user)) throw new Problem('not-approved', 'The user of this token may not authenticate.');
  // This call is a use of the token, which is written to the database later.
  return { id: user.id, accessToken: { ...tokenMetadata({ ...verified.token, used_at: platform.now() }) } };
}
