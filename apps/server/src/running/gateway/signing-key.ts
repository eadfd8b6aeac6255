import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Platform } from '../../foundation/platform.ts';
import { SigningKeys, type KeyKind } from '../../people/identity/index.ts';

/** Seconds for which a bearer token is valid. */
export const BEARER_LIFETIME = 3_600;

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const PURPOSE = 'gateway signing key';

/** The kind of the gateway's signing keys: Ed25519 key pairs. */
export const gatewayKeyKind: KeyKind<SigningKey> = {
  purpose: PURPOSE,
  firstId: 'gateway-1',
  name: 'gateway',
  sealedFor: PURPOSE,
  lifetimeMs: BEARER_LIFETIME * 1000,
  make: async () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  open(pem, id) {
    const privateKey = createPrivateKey(pem);
    return { id, privateKey, publicKey: createPublicKey(privateKey) };
  },
};

/** Keys that all gateway processes share to sign and verify bearer tokens. */
export function gatewayKeys(platform: Platform): Promise<SigningKeys<SigningKey>> {
  return SigningKeys.open(platform, gatewayKeyKind, platform.configuration.signingKeyMs);
}
