import type { ResourceServer } from 'oidc-provider';

/** The one scope of the platform interface, and of every login session. */
export const API_SCOPE = 'profile';

/** The scope that programs ask for at a sign-in. */
export const SIGN_IN_SCOPE = `openid ${API_SCOPE}`;

/** Seconds. Short, because a signed token cannot be revoked; the refresh token continues the login session. */
const ACCESS_TOKEN_SECONDS = 15 * 60;

/** The platform interface as a protected resource (RFC 8707): its access tokens are JWTs (RFC 9068), so that it verifies them itself. */
export function platformResource(api: string): ResourceServer {
  return {
    scope: API_SCOPE,
    audience: api,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
}
