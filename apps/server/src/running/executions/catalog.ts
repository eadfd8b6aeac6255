import { sql, type RawBuilder } from 'kysely';
import type { Catalog } from '../../people/deletions/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';

/**
 * Epoch milliseconds in the past: the sweeper deletes these orphans at once, as no transaction is about to use them.
 */
const LONG_UNUSED = 1;

/**
 * Executions of a user are deleted with the account, results and logs included. Running ones must be cancelled first by
 * the user: they may be a night of computing.
 */
export const executionCatalog: Catalog = {
  async ownedBy(transaction, userId, most) {
    const rows = await transaction
      .selectFrom('executions')
      .select(['id', 'status'])
      .where('owner_type', '=', 'USER')
      .where('owner_id', '=', userId)
      .where('status', 'in', ['PENDING', 'RUNNING'])
      .limit(most)
      .execute();
    return rows.map(({ id, status }) => ({
      what: `execution ${id}, which is ${status}`,
      remedy: `PUT /service-executions/${id}/cancel`,
    }));
  },
  async forget(transaction, userId) {
    const own = sql`owner_type = 'USER' and owner_id = ${userId}`;
    for (const column of ['input_blob', 'result_blob', 'log_blob'] as const) {
      const blob = sql.ref(column);
      await noteAll(transaction, sql`${blob} from executions where ${own} and ${blob} is not null`);
    }
    const files = sql`blob from execution_files where execution_id in (select id from executions where ${own})`;
    await noteAll(transaction, files);
    await transaction
      .deleteFrom('executions')
      .where(sql<boolean>`${own}`)
      .execute();
    await transaction.deleteFrom('queues').where('owner_id', '=', userId).execute();
  },
};

/** Marks blobs as orphans that nothing refers to after the transaction. The sweeper deletes them. */
async function noteAll(transaction: Queries, blobs: RawBuilder<unknown>): Promise<void> {
  const note = sql`insert into orphan_blobs (marked_at, blob) select ${sql.lit(LONG_UNUSED)}, ${blobs}`;
  await sql`${note} on conflict (blob) do nothing`.execute(transaction);
}
