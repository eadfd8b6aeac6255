import type { JournalEntry } from '@kethub/workflow';
import type { Platform } from '../../../foundation/platform.ts';
import type { Queries, WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { eventRow, insertEvents } from '../advance/index.ts';
import { entriesOf, journalRows } from '../journal.ts';
import { workflowsToDo } from '../wake.ts';
import { removeJob } from './queries.ts';

/** Removes a cancelled job whose execution could not be cancelled. The journal says so. */
export async function abandonJob(platform: Platform, job: WorkflowJobRow, reason: string): Promise<void> {
  await platform.database.write(async (transaction) => {
    if (await removeJob(transaction, job)) await noteAbandoned(platform, transaction, job, reason);
  });
  workflowsToDo(platform.database, 'EVENTS');
}

/** Adds a journal entry, that a cancelled call may still run, to an instance that may have ended. */
export async function noteAbandoned(
  platform: Platform,
  transaction: Queries,
  { id, instance_id, element_id }: Pick<WorkflowJobRow, 'id' | 'instance_id' | 'element_id'>,
  reason: string,
): Promise<void> {
  platform.log.warn(
    { job: id, instance: instance_id, reason },
    'the execution that a cancelled task has called may run on',
  );
  const query = transaction.selectFrom('workflow_instances').select('phase').where('id', '=', instance_id);
  const found = await (platform.database.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
  if (!found) return;
  if (found.phase === 'NEW' || found.phase === 'RUNNING') {
    const event = { type: 'jobAbandoned', elementId: element_id, reason } as const;
    return insertEvents(transaction, [eventRow(platform, instance_id, event)]);
  }
  const last = await transaction
    .selectFrom('workflow_journal')
    .select(['seq', 'at', 'type', 'entry'])
    .where('instance_id', '=', instance_id)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const seq = 1 + (last ? ((await entriesOf(last)).at(-1)?.seq ?? last.seq) : 0);
  const entry: JournalEntry = { seq, at: platform.now(), type: 'abandoned', elementId: element_id, reason };
  await transaction
    .insertInto('workflow_journal')
    .values(journalRows(instance_id, [entry]))
    .execute();
}
