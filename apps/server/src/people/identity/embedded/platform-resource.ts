import type { ResourceServer } from 'oidc-provider';

/** The one scope of the platform interface, and of every login session. */
export const API_SCOPE = 'profile';

/** What a program asks for that signs somebody in. */
export const SIGN_IN_SCOPE = `openid ${API_SCOPE}`;

/** Short, because a signed token cannot be taken back; a login session lives on by its refresh token. */
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
