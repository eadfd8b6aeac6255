import type { ExecutionEnd, Runtime } from '@kethub/runtime';
import { clearPools } from '../../catalog/datapools/index.ts';
import { removeCopies } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { blobKeyOf, markOrphan, removeOrphans } from '../../foundation/storage/index.ts';
import { dropInput } from './input-blob.ts';
import { keepLateLog, move } from './queries.ts';
import type { ExecutionEvent } from './transition.ts';
import { executionChanged } from './watch.ts';

const TITLE = 'Result not kept';
const DETAIL =
  'The execution has ended, and its result, files and log could not be stored. The operator finds the cause in the log.';

/** Error codes of PostgreSQL, SQLite and Node that blame the content. */
const FAULTS =
  /^(22...|23...|54...|SQLITE_(TOOBIG|MISMATCH|RANGE|CONSTRAINT.*)|ERR_(STRING_TOO_LONG|OUT_OF_RANGE|INVALID_ARG_VALUE))$/;

/** Returns whether the content to be stored is at fault, so that another attempt would fail as well. */
export function isFaultOfContent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return FAULTS.test(error.code);
  // fetch() reports a failed connection as a TypeError with a cause.
  return (
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    (error instanceof TypeError && error.cause === undefined)
  );
}

/**
 * Ends an execution whose content cannot be stored, without that content. It is never SUCCEEDED: its result is gone. An
 * execution that has ended already gets the log that readers wait for.
 */
export async function giveUpEnd(platform: Platform, runtime: Runtime, end: ExecutionEnd): Promise<void> {
  const { database, blobs, now } = platform;
  const id = end.executionId;
  const timestamp = new Date(now()).toISOString();
  const log = `${JSON.stringify({ timestamp, severity: 'ERROR', message: `${TITLE}: ${DETAIL}` })}\n`;
  const cause = JSON.stringify({ type: 'about:blank', title: TITLE, detail: DETAIL });
  const parts = ['log', 'result', ...end.files.map(({ name }) => `file ${name}`)];
  const unused = await database.write(async (transaction) => {
    await removeCopies(transaction, id);
    const input = await dropInput(transaction, id, now());
    const values = { cause, log, ended_at: end.endedAt, sealed_secrets: null };
    const isOver = (await move(transaction, id, eventOf(end), values)) || (await keepLateLog(transaction, id, { log }));
    // Blobs of earlier attempts, unless one of these attempts was committed after all.
    const stored = isOver ? parts.map((part) => blobKeyOf(id, part)) : [];
    for (const blob of stored) await markOrphan(transaction, blob, now());
    return [...stored, ...(input === null ? [] : [input])];
  });
  executionChanged(database, id);
  await removeOrphans(database, blobs, unused);
  await clearPools(platform, id);
  await runtime.forget(id);
}

/** NOT_STARTED becomes FAILED: what the execution left could not be cleared, so it cannot be started again. */
function eventOf({ outcome }: ExecutionEnd): ExecutionEvent {
  return outcome === 'CANCELLED' || outcome === 'LOST' ? outcome : 'FAILED';
}
