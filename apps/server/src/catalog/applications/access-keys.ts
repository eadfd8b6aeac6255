import { limits, type AccessKey } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { once, Problem, type IdempotencyKey } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { createRawToken, digestOf, type AccessKeyRow, type Queries } from '../../foundation/storage/index.ts';
import { accessChanged } from '../../people/authorization/index.ts';
import { accessKeysOf, findApplication } from './queries.ts';
import { presentAccessKey } from './present.ts';

const PURPOSE = 'secret access key';
const HINT_LENGTH = 4;

/** Makes a key pair of an application inside a transaction. Only the returned value holds the secret in clear. */
export async function createAccessKey(
  platform: Platform,
  transaction: Queries,
  applicationId: string,
): Promise<AccessKey> {
  const secret = createRawToken('ket_sk_');
  const row: AccessKeyRow = {
    id: platform.newId(),
    application_id: applicationId,
    access_key_id: createRawToken('ket_ak_'),
    secret_digest: digestOf(secret),
    sealed_secret: platform.seal.seal(PURPOSE, secret),
    secret_hint: secret.slice(-HINT_LENGTH),
    created_at: platform.now(),
    expires_at: null,
  };
  await transaction.insertInto('access_keys').values(row).execute();
  return presentAccessKey(row, secret);
}

/**
 * Makes a new key pair. The earlier ones work for `overlapSeconds` more, so that a running application can change over.
 */
export async function rotateAccessKey(
  platform: Platform,
  owner: Context,
  applicationId: string,
  overlapSeconds: number,
  idempotencyKey: IdempotencyKey,
): Promise<AccessKey> {
  // Checked before an idempotency record is answered with, which shows a secret: this caller may be another person.
  await requireApplication(platform.database.read, owner, applicationId);
  const scope = accessKeyAnswersOf(applicationId);
  const key = await once(platform, idempotencyKey, scope, String(overlapSeconds), async (transaction) => {
    await requireApplication(transaction, owner, applicationId);
    await endKeys(transaction, applicationId, platform.now(), overlapSeconds);
    const made = await createAccessKey(platform, transaction, applicationId);
    await audit(platform, transaction, owner, 'access-key:rotate', made.id, { applicationId, overlapSeconds });
    return made;
  });
  accessChanged(platform.database, applicationId);
  return key;
}

/** The scope of the idempotency records of the access keys. */
export function accessKeyAnswersOf(applicationId: string): string {
  return `access keys of ${applicationId}`;
}

/** Lets the existing keys end, and deletes those that have ended. Throws conflict when too many still work. */
async function endKeys(
  transaction: Queries,
  applicationId: string,
  now: number,
  overlapSeconds: number,
): Promise<void> {
  const end = now + overlapSeconds * 1000;
  await transaction
    .updateTable('access_keys')
    .set({ expires_at: end })
    .where('application_id', '=', applicationId)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', end)]))
    .execute();
  await transaction
    .deleteFrom('access_keys')
    .where('application_id', '=', applicationId)
    .where('expires_at', '<=', now)
    .execute();
  const working = await accessKeysOf(transaction, [applicationId], now);
  if (working.length < limits.accessKeysOfApplication) return;
  throw new Problem(
    'conflict',
    `An application has at most ${limits.accessKeysOfApplication} access keys that still work. Wait for some to end, or ask for a shorter overlapSeconds.`,
  );
}

/** The secret in clear, for the owner of the application. */
export async function revealSecret(
  platform: Platform,
  owner: Context,
  applicationId: string,
  keyId: string,
): Promise<{ readonly secretAccessKey: string }> {
  const key = await platform.database.write(async (transaction) => {
    await requireApplication(transaction, owner, applicationId);
    const known = await transaction
      .selectFrom('access_keys')
      .select('sealed_secret')
      .where('id', '=', keyId)
      .where('application_id', '=', applicationId)
      .executeTakeFirst();
    if (!known) throw new Problem('not-found', `The application has no access key ${keyId}.`);
    await audit(platform, transaction, owner, 'access-key:reveal', keyId, { applicationId });
    return known;
  });
  return { secretAccessKey: platform.seal.unseal(PURPOSE, key.sealed_secret) };
}

/** Returns the application of `owner`. Throws not-found for one of another owner, as if it did not exist. */
export async function requireApplication(queries: Queries, owner: Context, id: string) {
  const row = await findApplication(queries, owner, id);
  if (!row) throw new Problem('not-found', `You have no application ${id}.`);
  return row;
}
