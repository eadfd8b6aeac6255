import type { ResourceServer } from 'oidc-provider';

/** The one scope of the platform interface, and of every login session. */
export const API_SCOPE = 'profile';

/** The scope that programs ask for at a sign-in. */
export const SIGN_IN_SCOPE = `openid ${API_SCOPE}`;

/**
 * Lifetime in seconds; then the refresh token continues the session. It is short, because access tokens cannot be
 * revoked.
 */
const ACCESS_TOKEN_SECONDS = 15 * 60;

/**
 * The platform interface as a protected resource (RFC 8707). Its access tokens are JWTs (RFC 9068), which it
 * verifies.
 */
export function platformResource(api: string): ResourceServer {
  return {
    scope: API_SCOPE,
    audience: api,
    accessTokenTTL: ACCESS_TOKEN_SECONDS,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  };
}
