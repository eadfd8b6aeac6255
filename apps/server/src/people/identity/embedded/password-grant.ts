import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider';
import { clientAddressOf } from '../client-address.ts';
import { API_SCOPE, platformResource } from './platform-resource.ts';
import type { SignIn } from './sign-in.ts';

interface PasswordParameters {
  readonly username?: string;
  readonly password?: string;
  readonly scope?: string;
  readonly resource?: string | readonly string[];
}

/**
 * Registers the resource owner password credentials grant (RFC 6749 §4.3), which the interface declares as login
 * session. It grants tokens for the platform interface with the scope `profile`, which is the default (RFC 6749 §3.3).
 */
export function registerPasswordGrant(provider: Provider, signIn: SignIn, api: string): void {
  provider.registerGrantType<PasswordParameters>(
    'password',
    async (ctx) => {
      const { username, password, scope = API_SCOPE, resource = api } = ctx.oidc.params;
      if (!username || !password) throw new errors.InvalidRequest('username and password are required');
      if (!scope.split(' ').includes(API_SCOPE)) {
        throw new errors.InvalidScope(`the scope of this grant is ${API_SCOPE}`, scope);
      }
      if (resource !== api) throw new errors.InvalidTarget(`the only resource is ${api}`);
      const outcome = await signIn(username, password, clientAddressOf(ctx.req));
      if (outcome.kind === 'TOO_MANY') return tooMany(ctx, outcome.retryAfter);
      if (outcome.kind === 'REFUSED') throw new WrongPassword();
      return issueTokens(provider, ctx, outcome.subject, api);
    },
    ['username', 'password', 'scope', 'resource'],
  );
}

/** `invalid_grant` (RFC 6749 §5.2) with a description, which `errors.InvalidGrant` does not send. */
class WrongPassword extends errors.CustomOIDCProviderError {
  constructor() {
    super('invalid_grant', 'username or password is wrong');
  }
}

/** RFC 6749 has no error for this. The name is from RFC 8628; status and Retry-After inform every client. */
function tooMany(ctx: TokenEndpointGrantContext<PasswordParameters>, retryAfter: number): void {
  ctx.status = 429;
  ctx.set('Retry-After', String(retryAfter));
  ctx.body = {
    error: 'slow_down',
    error_description: `too many wrong passwords; try again in ${retryAfter} seconds`,
  };
}

async function issueTokens(
  provider: Provider,
  ctx: TokenEndpointGrantContext<PasswordParameters>,
  accountId: string,
  api: string,
): Promise<void> {
  const { client } = ctx.oidc;
  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  grant.addResourceScope(api, API_SCOPE);
  const issued = { accountId, client, grantId: await grant.save(), gty: 'password', scope: API_SCOPE };
  const resourceServer = new provider.ResourceServer(api, platformResource(api));
  const accessToken = new provider.AccessToken({ ...issued, resourceServer });
  const refreshToken = new provider.RefreshToken({ ...issued, resource: api, rotations: 0 });
  ctx.body = {
    access_token: await accessToken.save(),
    token_type: accessToken.tokenType,
    expires_in: accessToken.expiration,
    refresh_token: await refreshToken.save(),
    scope: API_SCOPE,
  };
}
