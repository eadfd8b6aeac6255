import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Platform } from '../platform.ts';

const PURPOSE = 'gateway signing key';
const ID = 'gateway-1';

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The Ed25519 key that all gateway processes sign and verify bearer tokens with; made by whichever starts first. */
export async function gatewayKey(platform: Platform): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const row = await platform.database.write(async (transaction) => {
    await transaction
      .insertInto('signing_keys')
      .values({
        id: ID,
        purpose: PURPOSE,
        sealed_private_key: platform.seal.seal(PURPOSE, pem),
        created_at: platform.now(),
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    return transaction.selectFrom('signing_keys').selectAll().where('id', '=', ID).executeTakeFirstOrThrow();
  });
  const kept = createPrivateKey(platform.seal.unseal(PURPOSE, row.sealed_private_key));
  return { id: row.id, privateKey: kept, publicKey: createPublicKey(kept) };
}
