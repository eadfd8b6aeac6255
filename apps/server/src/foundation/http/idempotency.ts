import { createHash } from 'node:crypto';
import { limits } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import type { Platform } from '../platform.ts';
import { isDuplicate, type Queries } from '../storage/index.ts';
import type { Answer } from './endpoint.ts';
import { Problem } from './problem.ts';

/** Scope and key of the requests that are being worked on in this process. */
const running = new Set<string>();

/**
 * Creates something once per Idempotency-Key: the answer is kept in the same transaction as what it created, so both
 * exist or neither. Same key and body: the first answer again; another body: 422; first one still running: 409.
 * `scope` is who calls what; `body` is what makes two requests the same. Without the header `create` simply runs. Kept
 * answers are sealed. `repeated` makes of the first answer what is kept and repeated: one that shows a secret once must
 * not show it again.
 */
export async function once(
  platform: Platform,
  request: FastifyRequest,
  scope: string,
  body: string | Buffer,
  create: (transaction: Queries) => Promise<Answer>,
  repeated: (answer: Answer) => Answer = (answer) => answer,
): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  const { database, seal } = platform;
  if (key === undefined) return database.write(create);
  if (typeof key !== 'string' || key.length === 0 || key.length > limits.idempotencyKeyLength) {
    throw new Problem('invalid-request', `Idempotency-Key must have 1 to ${limits.idempotencyKeyLength} characters.`);
  }
  const digest = createHash('sha256').update(body).digest('hex');
  const now = platform.now();
  const known = await replay(platform, scope, key, digest);
  if (known) return known;
  const place = `${scope} ${key}`;
  if (running.has(place))
    throw new Problem('request-in-progress', 'The first request with this Idempotency-Key is still running.');
  running.add(place);
  try {
    return await database.write(async (transaction) => {
      const answer = await create(transaction);
      const row = { scope, key, digest, answer: seal.seal(place, JSON.stringify(repeated(answer))), created_at: now };
      await transaction
        .deleteFrom('idempotency_keys')
        .where('created_at', '<', now - limits.idempotencyKeepMs)
        .execute();
      await transaction.insertInto('idempotency_keys').values(row).execute();
      return answer;
    });
  } catch (error) {
    // Another process was faster with the same key: what this one created is rolled back, the other's answer holds.
    if (!isDuplicate(error)) throw error;
    const first = await replay(platform, scope, key, digest);
    if (!first) throw error;
    return first;
  } finally {
    running.delete(place);
  }
}

async function replay(
  { database, seal, now }: Platform,
  scope: string,
  key: string,
  digest: string,
): Promise<Answer | null> {
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
  return JSON.parse(seal.unseal(`${scope} ${key}`, row.answer)) as Answer;
}
