import { sql } from 'kysely';
import { Problem } from '../../foundation/http/index.ts';
import type { Queries, WorkflowMessageRow } from '../../foundation/storage/index.ts';

type Key = Pick<WorkflowMessageRow, 'service_id' | 'subscription_id' | 'correlation_key'>;

/**
 * The key of a start event and correlation key, per publisher. Null without a correlation key: any number of instances
 * may be active.
 */
export function startKeyOf({ service_id, subscription_id, correlation_key }: Key, elementId: string): string | null {
  return correlation_key === '' ? null : JSON.stringify([service_id, subscription_id, elementId, correlation_key]);
}

/** The id of the active instance that was started with a key. */
export async function activeWith(queries: Queries, startKey: string): Promise<string | null> {
  const row = await queries
    .selectFrom('workflow_start_keys')
    .innerJoin('workflow_instances', 'workflow_instances.id', 'workflow_start_keys.instance_id')
    .select('workflow_instances.id')
    .where('start_key', '=', startKey)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Takes a start key for an instance that was just accepted. Throws conflict when another was started with it at the
 * same time.
 */
export async function takeStartKey(transaction: Queries, startKey: string, instanceId: string): Promise<void> {
  const { rows } =
    await sql`insert into workflow_start_keys (start_key, instance_id) values (${startKey}, ${instanceId})
    on conflict (start_key) do update set instance_id = excluded.instance_id
    where exists (select 1 from workflow_instances as before
      where before.id = workflow_start_keys.instance_id and before.ended_at is not null)
    returning instance_id`.execute(transaction);
  if (rows.length === 1) return;
  throw new Problem('conflict', 'Another message of this correlation key has just started an instance. Send it again.');
}
