import type { Platform } from '../../../foundation/platform.ts';
import { decidedMeanwhile, IdentityProviderUnavailable } from '../identity-provider.ts';

/** Milliseconds of a lease, longer than all calls of a decision. After a crash, others wait until it ends. */
const LEASE_MS = 15_000;

/**
 * Runs a decision about a person under a lease, because Keycloak cannot compare and change in one step. Throws
 * `conflict` if another process has the lease.
 */
export async function decideAlone<T>(platform: Platform, subject: string, decide: () => Promise<T>): Promise<T> {
  const holder = platform.newId();
  if (!(await take(platform, subject, holder))) throw decidedMeanwhile();
  try {
    const decided = await decide();
    await release(platform, subject, holder);
    return decided;
  } catch (error) {
    // A change without an answer may still happen, so the lease is kept until it ends.
    if (!(error instanceof IdentityProviderUnavailable)) await release(platform, subject, holder);
    throw error;
  }
}

async function take({ database, now }: Platform, subject: string, holder: string): Promise<boolean> {
  const lease = { holder, expires_at: now() + LEASE_MS };
  const taken = await database.write((transaction) =>
    transaction
      .insertInto('registration_decisions')
      .values({ subject, ...lease })
      .onConflict((conflict) =>
        conflict
          .column('subject')
          .doUpdateSet(lease)
          // A lease that ends later than any could was taken before the clock was set back.
          .where(({ or, eb }) =>
            or([
              eb('registration_decisions.expires_at', '<=', now()),
              eb('registration_decisions.expires_at', '>', now() + 2 * LEASE_MS),
            ]),
          ),
      )
      .returning('holder')
      .executeTakeFirst(),
  );
  return taken !== undefined;
}

async function release({ database }: Platform, subject: string, holder: string): Promise<void> {
  await database.write((transaction) =>
    transaction
      .deleteFrom('registration_decisions')
      .where('subject', '=', subject)
      .where('holder', '=', holder)
      .execute(),
  );
}
