import { createHash } from 'node:crypto';
import { limits } from '@kethub/contract';
import type { Platform } from '../platform.ts';
import { isDuplicate, type Queries } from '../storage/index.ts';
import { Problem } from '@kethub/service-api';

/** Scope and key of the requests that this process is executing. */
const running = new Set<string>();

/** The header Idempotency-Key as it was sent. */
export type IdempotencyKey = string | string[] | undefined;

/**
 * Runs `create` once per Idempotency-Key. Its answer is stored, sealed, in the same transaction, so both exist or
 * neither. A repeated request with the same body gets the first answer; with another body it is refused with 422.
 * While the first request runs in this process, a repeated one is refused with 409. Without the header, `create`
 * always runs.
 *
 * `scope` names the caller and the operation. Requests with the same `body` are the same. `repeated` turns the first
 * answer into the stored one, to leave out a secret that is shown only once.
 */
export async function once<T>(
  platform: Platform,
  key: IdempotencyKey,
  scope: string,
  body: string | Buffer,
  create: (transaction: Queries) => Promise<T>,
  repeated: (answer: T) => T = (answer) => answer,
): Promise<T> {
  const { database, seal } = platform;
  if (key === undefined) return database.write(create);
  if (typeof key !== 'string' || key.length === 0 || key.length > limits.idempotencyKeyLength) {
    throw new Problem('invalid-request', `Idempotency-Key must have 1 to ${limits.idempotencyKeyLength} characters.`);
  }
  const digest = createHash('sha256').update(body).digest('hex');
  const now = platform.now();
  const known = await replay<T>(platform, scope, key, digest);
  if (known) return known;
  const name = `${scope} ${key}`;
  if (running.has(name))
    throw new Problem('request-in-progress', 'The first request with this Idempotency-Key is still running.');
  running.add(name);
  try {
    return await database.write(async (transaction) => {
      const answer = await create(transaction);
      const row = { scope, key, digest, answer: seal.seal(name, JSON.stringify(repeated(answer))), created_at: now };
      await transaction
        .deleteFrom('idempotency_keys')
        .where('created_at', '<', now - limits.idempotencyKeepMs)
        .execute();
      await transaction.insertInto('idempotency_keys').values(row).execute();
      return answer;
    });
  } catch (error) {
    // Another process has committed with the same key. This transaction is rolled back, and the stored answer is
    // returned.
    if (!isDuplicate(error)) throw error;
    const first = await replay<T>(platform, scope, key, digest);
    if (!first) throw error;
    return first;
  } finally {
    running.delete(name);
  }
}

/** Deletes the stored answers of this scope. */
export async function deleteIdempotencyRecords(transaction: Queries, scope: string): Promise<void> {
  await transaction.deleteFrom('idempotency_keys').where('scope', '=', scope).execute();
}

async function replay<T>(
  { database, seal, now }: Platform,
  scope: string,
  key: string,
  digest: string,
): Promise<T | null> {
  const row = await database.read
    .selectFrom('idempotency_keys')
    .select(['digest', 'answer'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '>=', now() - limits.idempotencyKeepMs)
    .executeTakeFirst();
  if (!row) return null;
  if (row.digest !== digest) {
    throw new Problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used before with another body. Use a new key for a new request.',
    );
  }
  return JSON.parse(seal.unseal(`${scope} ${key}`, row.answer)) as T;
}
