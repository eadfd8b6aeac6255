import { createHash } from 'node:crypto';
import { limits } from '@kethub/contract';
import type { Platform } from '../platform.ts';
import { isDuplicate, type Queries } from '../storage/index.ts';
import { Problem } from './problem.ts';

/** Scope and key of the requests that run in this process. */
const running = new Set<string>();

/** The header Idempotency-Key as it was sent. */
export type IdempotencyKey = string | string[] | undefined;

/**
 * Creates something once per Idempotency-Key. The answer is stored in the transaction that creates it, so both exist or neither.
 * The same key and body get the first answer again; another body is 422; while the first request runs, it is 409. Without the
 * header, `create` simply runs. `scope` names the caller and the operation, `body` is what makes two requests the same. Stored
 * answers are sealed. `repeated` turns the first answer into the stored one: an answer that shows a secret once must not repeat
 * it.
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
    // Another process was faster with the same key: this transaction is rolled back, and the answer of the other is returned.
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
