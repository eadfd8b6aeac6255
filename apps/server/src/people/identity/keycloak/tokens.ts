import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { IdentityProviderUnavailable } from '../identity-provider.ts';
import type { KeycloakConnection } from './connection.ts';

/** Asymmetric signatures only: with HS256, anyone who knows the public key could sign. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
/** Least milliseconds between two fetches of the keys, which a token with an unknown key causes. */
const COOLDOWN_MS = 10_000;

/**
 * Verifies access tokens of login sessions with the issuer's published keys. Returns the subject, or null. Throws
 * IdentityProviderUnavailable if the keys cannot be fetched.
 */
export function createKeycloakVerifier(
  connection: KeycloakConnection,
  now: () => number,
): (token: string) => Promise<string | null> {
  const { issuer, audience } = connection.settings;
  let keys: JWTVerifyGetKey | null = null;
  return async (token) => {
    keys ??= remoteKeys(connection, (await connection.endpoints()).jwks);
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        currentDate: new Date(now()),
        requiredClaims: ['sub', 'exp'],
      });
      return isForPlatform(payload, protectedHeader.typ) && payload.sub !== undefined ? payload.sub : null;
    } catch (error) {
      // Unreadable keys say nothing about the token.
      if (error instanceof errors.JWKSInvalid) throw new IdentityProviderUnavailable(error);
      // An invalid token belongs to nobody.
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  };
}

/**
 * Returns whether this is an access token with the scope of the interface. Keycloak signs identity and refresh tokens
 * for the same audience with the same key. It names the kind in the claim `typ`, and for RFC 9068 in the header.
 */
function isForPlatform(payload: JWTPayload, header: string | undefined): boolean {
  const isAccessToken = header?.toLowerCase() === 'at+jwt' || payload['typ'] === 'Bearer';
  const scopes = typeof payload['scope'] === 'string' ? payload['scope'].split(' ') : [];
  return isAccessToken && scopes.includes('profile');
}

function remoteKeys(connection: KeycloakConnection, url: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(url), {
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: async (address: string) => {
      const { status, body } = await connection.send(address);
      if (status === 200) return Response.json(body);
      throw new IdentityProviderUnavailable(new Error(`${address} answered ${status}`));
    },
  });
}
