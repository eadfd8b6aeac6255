import { sign, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KeySet } from '../../people/identity/index.ts';
import { BEARER_LIFETIME, type SigningKey } from './signing-key.ts';

export const SCOPE = 'default';

/** Claims of a valid bearer token. */
export interface BearerClaims {
  readonly applicationId: string;
  /** The access key that requested the token. */
  readonly accessKeyId: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export interface Bearers {
  /** Issues a JWT access token (RFC 9068), valid for BEARER_LIFETIME seconds from `now` (epoch milliseconds). */
  issue(applicationId: string, accessKeyId: string, now: number): string;
  /** Returns the claims of a token that this installation has signed and that has not expired, or null. */
  check(token: string, now: number): BearerClaims | null;
}

/** Verified tokens cached, 1 kB each; one more evicts the least recently used. Verifying Ed25519 takes 250 µs. */
const CACHED = 100_000;
/** Characters of a token. A longer one is refused: the platform has not issued it. */
const MAX_LENGTH = 2_048;

/** Signs and verifies the gateway's bearer tokens (Ed25519: 3.8 × the grants a second of ES256). */
export function createBearers(
  source: { readonly keys: KeySet<SigningKey> },
  issuer: string,
  newId: () => string,
): Bearers {
  const headers = new Map<SigningKey, string>();
  const headerOf = (key: SigningKey): string => {
    const header = headers.get(key) ?? encode({ alg: 'EdDSA', typ: 'at+jwt', kid: key.id });
    headers.set(key, header);
    return header;
  };

  const verified = new LRUCache<string, BearerClaims>({ maxSize: CACHED, sizeCalculation: () => 1 });

  const parse = (token: string): BearerClaims | null => {
    const [head, body, signature, ...rest] = token.split('.');
    const key = source.keys.all.find((one) => headerOf(one) === head);
    if (!key || body === undefined || signature === undefined || rest.length > 0) return null;
    if (!verify(null, Buffer.from(`${head}.${body}`), key.publicKey, Buffer.from(signature, 'base64url'))) return null;
    // This installation has signed the claims, so they have the form that `issue` gave them.
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Record<string, unknown>;
    const { iss, aud, sub, client_id, exp } = claims;
    if (iss !== issuer || aud !== issuer) return null;
    if (typeof sub !== 'string' || typeof client_id !== 'string' || typeof exp !== 'number') return null;
    return { expiresAt: exp, applicationId: sub, accessKeyId: client_id };
  };

  return {
    issue(applicationId, accessKeyId, now) {
      const key = source.keys.signing;
      const header = headerOf(key);
      const iat = Math.floor(now / 1000);
      const body = encode({
        iss: issuer,
        aud: issuer,
        sub: applicationId,
        client_id: accessKeyId,
        scope: SCOPE,
        iat,
        exp: iat + BEARER_LIFETIME,
        jti: newId(),
      });
      const signature = sign(null, Buffer.from(`${header}.${body}`), key.privateKey).toString('base64url');
      return `${header}.${body}.${signature}`;
    },
    check(token, now) {
      if (token.length > MAX_LENGTH) return null;
      const known = verified.get(token);
      const claims = known ?? parse(token);
      if (!claims) return null;
      if (claims.expiresAt * 1000 <= now) {
        verified.delete(token);
        return null;
      }
      if (!known) verified.set(detached(token), claims);
      return claims;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Copies a string that was cut out of a header, so that the cache does not keep the whole header in memory. */
function detached(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
