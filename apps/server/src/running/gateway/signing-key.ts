import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Platform } from '../../foundation/platform.ts';
import { SigningKeys, type KeyKind } from '../../foundation/storage/index.ts';
import { BEARER_LIFETIME } from './bearer.ts';

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const PURPOSE = 'gateway signing key';

/** Ed25519. */
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

/** The keys that all gateway processes sign and verify bearer tokens with. */
export function gatewayKeys(platform: Platform): Promise<SigningKeys<SigningKey>> {
  return SigningKeys.open(platform, gatewayKeyKind, platform.configuration.signingKeyMs);
}
