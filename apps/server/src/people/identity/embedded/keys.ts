import { randomBytes } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Platform } from '../../../foundation/platform.ts';
import { SigningKeys, type KeyKind } from '../base/signing-keys.ts';
import { keepSecret, sealedFor } from '../base/kept-secret.ts';

/** Seconds for which a person stays signed in; then the person signs in again. */
export const LOGIN_SECONDS = 14 * 24 * 60 * 60;

/** Private ES256 key that signs access and identity tokens. Every client library verifies ES256. */
export type SigningJwk = JWK & { readonly kid: string; readonly kty: string };

export interface ProviderKeys {
  readonly signing: SigningKeys<SigningJwk>;
  /** Signs the cookies of the sign-in. */
  readonly cookies: string;
}

const PURPOSE = 'oidc-signing';

export const oidcKeyKind: KeyKind<SigningJwk> = {
  purpose: PURPOSE,
  firstId: PURPOSE,
  name: PURPOSE,
  sealedFor: sealedFor(PURPOSE),
  // A sign-out presents the identity token of the sign-in, expired or not.
  lifetimeMs: LOGIN_SECONDS * 1000,
  async make() {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(privateKey);
    return JSON.stringify({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'ES256', use: 'sig' });
  },
  open: (text) => JSON.parse(text) as SigningJwk,
};

/** Opens the keys of the embedded provider, which all processes on the database share. */
export async function loadKeys(platform: Platform): Promise<ProviderKeys> {
  const cookies = await keepSecret(platform, 'oidc-cookies', randomBytes(32).toString('base64url'));
  return { signing: await SigningKeys.open(platform, oidcKeyKind, platform.configuration.signingKeyMs), cookies };
}
