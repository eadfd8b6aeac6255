import { Refusal } from '../foundation/config/index.ts';
import type { StoredDatabase } from './stored.ts';

/** Milliseconds for which blobs are held at a time. After the last renewal, removals go on then. */
const HOLD_MS = 10 * 60_000;
/** Milliseconds after which a hold is renewed. */
const RENEW_MS = 60_000;

/**
 * Does work while no process removes blobs. The hold is only extended and expires by itself, because another backup may
 * need it as well. Throws Refusal when it has expired during the work.
 */
export async function withBlobsHeld<T>(
  database: Pick<StoredDatabase, 'holdBlobs'>,
  work: () => Promise<T>,
): Promise<T> {
  let until = 0;
  let wasLost = false;
  const hold = async (): Promise<void> => {
    const next = Date.now() + HOLD_MS;
    await database.holdBlobs(next);
    wasLost ||= until > 0 && Date.now() >= until;
    until = Math.max(until, next);
  };
  await hold();
  // A renewal that fails is repeated by the next one, until the hold expires.
  const renewal = setInterval(() => void hold().catch(() => undefined), RENEW_MS);
  try {
    const made = await work();
    if (wasLost || Date.now() >= until)
      throw new Refusal(
        'Files may be missing from the backup: for ten minutes, the database could not be told to keep them. Remove what was written so far, and begin again.',
      );
    return made;
  } finally {
    clearInterval(renewal);
  }
}
