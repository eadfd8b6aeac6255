import { randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Platform } from '../../platform.ts';
import { keepKey } from './queries.ts';

export interface ProviderKeys {
  /** Private ES256 key that signs access and identity tokens. Every client library verifies ES256. */
  readonly signing: JWK & { readonly kid: string; readonly kty: string };
  /** Signs the cookies of the sign-in. */
  readonly cookies: string;
}

/** The keys of the embedded provider: made once, kept sealed in the database, the same in every process on it. */
export async function loadKeys(platform: Platform): Promise<ProviderKeys> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const signing = await keep(platform, 'oidc-signing', JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' }));
  const cookies = await keep(platform, 'oidc-cookies', randomBytes(32).toString('base64url'));
  return { signing: JSON.parse(signing) as ProviderKeys['signing'], cookies };
}

/** The secret kept sealed for `purpose`: `candidate` when there is none yet. */
export async function keep(platform: Platform, purpose: string, candidate: string): Promise<string> {
  const sealed = platform.seal.seal(`signing_keys:${purpose}`, candidate);
  const kept = await keepKey(platform.database, { purpose, sealed, now: platform.now() });
  return platform.seal.unseal(`signing_keys:${purpose}`, kept);
}
