import { isFinal, type ServiceExecution } from '@kethub/contract';
import { audit, ownContext } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Person, Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans } from '../../foundation/storage/index.ts';
import { presentProgress } from '@kethub/service-api';
import { move, statusColumns } from './queries.ts';
import { executionChanged } from './watch.ts';

const CHANNEL = 'execution-ended-by-operator';

/** Calls back with the id of an execution that an operator has ended. */
export function onEndedByOperator(platform: Platform, listener: (id: string) => void): () => void {
  return platform.database.listen(CHANNEL, listener);
}

const TITLE = 'Ended by an operator';
const ran = `An operator of the platform ended the execution. Whether its code had finished cannot be known; it is not run again.`;
const waited = 'An operator of the platform ended the execution before it began.';

/**
 * Ends an execution at once: PENDING becomes FAILED, RUNNING becomes UNKNOWN. Its worker frees the slot, even if the
 * end cannot be recorded or collected; an execution that has ended keeps its status. Throws execution-not-found, and
 * conflict for a workflow.
 */
export async function endExecution(platform: Platform, administrator: Person, id: string): Promise<ServiceExecution> {
  const { database, blobs, now } = platform;
  const unused = await database.write(async (transaction) => {
    const known = await transaction
      .selectFrom('executions')
      .select(['status', 'input_blob', 'worker_id', 'owner_type', 'owner_id'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!known) throw new Problem('execution-not-found', `There is no execution ${id}.`);
    const isPending = known.status === 'PENDING';
    if (!isPending && known.worker_id === null && !isFinal(known.status))
      throw new Problem('conflict', 'The execution is a workflow, which uses no slot of a worker. Cancel it instead.');
    const detail = isPending ? waited : ran;
    const moved = await move(transaction, id, isPending ? 'FAILED' : 'LOST', {
      ended_at: now(),
      cause: JSON.stringify({ type: 'about:blank', title: TITLE, detail }),
      sealed_secrets: null,
      // The worker stores the log of code that has run.
      ...(isPending && { log: '', input_blob: null }),
    });
    const recorded = { status: known.status };
    await audit(platform, transaction, ownContext(administrator.id), 'execution:end', id, recorded);
    const { owner_type: type, owner_id: owner } = known;
    if (type !== null && owner !== null && owner !== administrator.id)
      await audit(platform, transaction, { type, id: owner, role: 'OWNER', personId: administrator.id }, 'execution:end', id, recorded); // prettier-ignore
    if (!moved || !isPending || known.input_blob === null) return [];
    await markOrphan(transaction, known.input_blob, now());
    return [known.input_blob];
  });
  database.notify(CHANNEL, id);
  executionChanged(database, id);
  await removeOrphans(database, blobs, unused);
  const row = await database.read.selectFrom('executions').select(statusColumns).where('id', '=', id).executeTakeFirstOrThrow(); // prettier-ignore
  return presentProgress(row);
}
