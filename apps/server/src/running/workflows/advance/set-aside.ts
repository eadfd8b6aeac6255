import { sql } from 'kysely';
import type { Platform } from '../../../foundation/platform.ts';
import { isAmong, type Queries } from '../../../foundation/storage/index.ts';
import { releaseTimers } from '../stands-still.ts';
import { eventRow, insertEvents } from './events.ts';
import type { Advanced } from './reduce.ts';

/** Owner of events that are set aside: no round of any owner includes them. */
const NOBODY = '';

/**
 * Sets events of suspended instances aside, where no batch looks for them. Puts them back once the instance goes on, with
 * its timers that stand still.
 */
export async function setAside(platform: Platform, transaction: Queries, advanced: readonly Advanced[]): Promise<void> {
  const ends = advanced.flatMap(({ row, endsAside }) => endsAside.map((event) => eventRow(platform, row.id, event)));
  await insertEvents(transaction, ends);
  const ids = [...advanced.flatMap(({ aside }) => aside), ...ends.map(({ id }) => id)];
  if (ids.length > 0)
    await sql`update workflow_events set owner = ${NOBODY} where ${isAmong(transaction, 'id', ids)}`.execute(
      transaction,
    );
  const released = advanced.flatMap(({ row, isReleased }) => (isReleased ? row.id : []));
  if (released.length === 0) return;
  await releaseTimers(transaction, released, platform.now());
  await sql`update workflow_events set owner = (select instance.owner from workflow_instances as instance
        where instance.id = workflow_events.instance_id)
      where owner = ${NOBODY} and ${isAmong(transaction, 'instance_id', released)}`.execute(transaction);
}
