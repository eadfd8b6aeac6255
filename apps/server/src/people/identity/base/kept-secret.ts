import type { Platform } from '../../../foundation/platform.ts';
import type { Database } from '../../../foundation/storage/index.ts';

/** The secret that is stored sealed for `purpose`. Stores `candidate` if there is none yet. */
export async function keepSecret(platform: Platform, purpose: string, candidate: string): Promise<string> {
  const sealed = platform.seal.seal(sealedFor(purpose), candidate);
  const kept = await keepKey(platform.database, { purpose, sealed, now: platform.now() });
  return platform.seal.unseal(sealedFor(purpose), kept);
}

export function sealedFor(purpose: string): string {
  return `signing_keys:${purpose}`;
}

/**
 * The sealed secret of `purpose`; inserts `candidate` if there is none. Two processes that start at once get the
 * same.
 */
async function keepKey(
  database: Database,
  candidate: { purpose: string; sealed: string; now: number },
): Promise<string> {
  const kept = await database.write(async (transaction) => {
    await transaction
      .insertInto('signing_keys')
      .values({
        id: candidate.purpose,
        purpose: candidate.purpose,
        sealed_private_key: candidate.sealed,
        created_at: candidate.now,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    return transaction
      .selectFrom('signing_keys')
      .select('sealed_private_key')
      .where('id', '=', candidate.purpose)
      .executeTakeFirstOrThrow();
  });
  return kept.sealed_private_key;
}
