import { limits, type AccessKey } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { audit } from '../../people/audit/index.ts';
import { once, Problem, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { createRawToken, digestOf, type AccessKeyRow, type Queries } from '../../foundation/storage/index.ts';
import { accessChanged } from '../../people/authorization/index.ts';
import { accessKeysOf, findApplication } from './queries.ts';
import { presentAccessKey } from './present.ts';

const PURPOSE = 'secret access key';
const HINT_LENGTH = 4;

/** Makes a key pair of an application inside a transaction. The secret is in the returned shape, and nowhere else in clear. */
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

/** A new key pair; the ones before keep working for `overlapSeconds`, so that a running application can be changed over. */
export async function rotateAccessKey(
  platform: Platform,
  owner: Context,
  applicationId: string,
  overlapSeconds: number,
  request: FastifyRequest,
): Promise<Answer> {
  // Before an answer is repeated, which shows a secret: who made the first request need not be who makes this one.
  await requireApplication(platform.database.read, owner, applicationId);
  const scope = accessKeyAnswersOf(applicationId);
  const answer = await once(
    platform,
    request.headers['idempotency-key'],
    scope,
    String(overlapSeconds),
    async (transaction) => {
      await requireApplication(transaction, owner, applicationId);
      await endKeys(transaction, applicationId, platform.now(), overlapSeconds);
      const made = await createAccessKey(platform, transaction, applicationId);
      await audit(platform, transaction, owner, 'access-key:rotate', made.id, { applicationId, overlapSeconds });
      return { status: 201, body: made, headers: { 'cache-control': 'no-store' } };
    },
  );
  accessChanged(platform.database, applicationId);
  return answer;
}

/** Where the answers are kept that are repeated under an Idempotency-Key. */
export function accessKeyAnswersOf(applicationId: string): string {
  return `access keys of ${applicationId}`;
}

/** Ends the keys that there are, and deletes those that have ended. Throws conflict when too many still work. */
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
): Promise<Answer> {
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
  const secretAccessKey = platform.seal.unseal(PURPOSE, key.sealed_secret);
  return { status: 200, body: { secretAccessKey }, headers: { 'cache-control': 'no-store' } };
}

/** The application, if it belongs to `owner`. Throws `not-found` otherwise: somebody else's is not there for the caller. */
export async function requireApplication(queries: Queries, owner: Context, id: string) {
  const row = await findApplication(queries, owner, id);
  if (!row) throw new Problem('not-found', `You have no application ${id}.`);
  return row;
}
