import type { Platform } from '../../foundation/platform.ts';

/** Milliseconds between two rounds. */
const EVERY_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Entries deleted in one transaction, so that no other write waits for long. */
const AT_ONCE = 1_000;

/** Deletes entries beyond the configured age, now and every hour. Returns the function that stops it. */
export function forgetOldEntries(platform: Platform): () => Promise<void> {
  const { auditKeepDays } = platform.configuration;
  if (auditKeepDays === null) return () => Promise.resolve();
  const stopped = new AbortController();
  const forget = async (): Promise<void> => {
    try {
      const before = platform.now() - auditKeepDays * DAY_MS;
      while (!stopped.signal.aborted && (await deleteSome(platform, before)) === AT_ONCE);
    } catch (error) {
      platform.log.warn(
        { err: error },
        'old entries of the audit log could not be deleted; the next round tries again',
      );
    }
  };
  let round = forget();
  const timer = setInterval(() => {
    round = round.then(forget);
  }, EVERY_MS).unref();
  return async () => {
    stopped.abort();
    clearInterval(timer);
    await round;
  };
}

async function deleteSome({ database }: Platform, before: number): Promise<number> {
  const old = await database.read
    .selectFrom('audit_entries')
    .select('id')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(AT_ONCE)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0)
    await database.write((transaction) => transaction.deleteFrom('audit_entries').where('id', 'in', ids).execute());
  return ids.length;
}
