import { jsonText, type Event } from '@kethub/workflow';
import { sql } from 'kysely';
import type { Platform } from '../../../foundation/platform.ts';
import {
  beforeStatement,
  hasLargeText,
  large,
  recordsOf,
  type Queries,
  type WorkflowEventRow,
} from '../../../foundation/storage/index.ts';

/** An event to be written. The database knows the owner. */
export type NewEvent = Omit<WorkflowEventRow, 'owner'>;

/** An event in the queue of an instance; `resume`: its last step was paused. */
export type QueuedEvent = Event | { readonly type: 'resume' };

/** Ids are ordered by time. The prefix puts a cancellation before thousands of other events. */
const FIRST = '00000000';

/** The row of an event. */
export function eventRow(
  { newId }: Pick<Platform, 'newId'>,
  instanceId: string,
  event: QueuedEvent,
  dedupeKey: string | null = null,
): NewEvent {
  const text = jsonText(event);
  const id = newId();
  return {
    id: event.type === 'cancel' ? `${FIRST}${id.slice(FIRST.length)}` : id,
    instance_id: instanceId,
    dedupe_key: dedupeKey,
    event: text,
    bytes: Buffer.byteLength(text),
  };
}

/** Inserts events in one statement. Events of instances that are gone are skipped. */
export async function insertEvents(transaction: Queries, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  for (const { id, instance_id, dedupe_key, event, bytes } of events.filter(hasLargeText)) {
    const statement = large(sql`insert into workflow_events (id, instance_id, dedupe_key, event, bytes, owner)
      select ${id}, instance.id, ${dedupe_key}, ${event}, cast(${bytes} as bigint), instance.owner
      from workflow_instances as instance where instance.id = ${instance_id}`);
    await beforeStatement(statement);
    await statement.execute(transaction);
  }
  const short = events.filter((one) => !hasLargeText(one));
  if (short.length === 0) return;
  const fresh = recordsOf(transaction, short, {
    id: 'text',
    instance_id: 'text',
    dedupe_key: 'text',
    event: 'text',
    bytes: 'bigint',
  });
  await sql`insert into workflow_events (id, instance_id, dedupe_key, event, bytes, owner)
    select fresh.id, fresh.instance_id, fresh.dedupe_key, fresh.event, fresh.bytes, instance.owner
    from ${fresh} as fresh join workflow_instances as instance on instance.id = fresh.instance_id`.execute(transaction);
}
