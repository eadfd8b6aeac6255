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
const DETAIL = 'The execution has ended, and what it left could not be kept. The operator finds the cause in the log.';

const FAULTS =
  /^(22...|23...|54...|SQLITE_(TOOBIG|MISMATCH|RANGE|CONSTRAINT.*)|ERR_(STRING_TOO_LONG|OUT_OF_RANGE|INVALID_ARG_VALUE))$/;

/** Whether `error` says that something is wrong with what was to be kept, so that it would fail tomorrow as well. */
export function isFaultOfContent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return FAULTS.test(error.code);
  // fetch() tells that it could not connect by a TypeError with a cause.
  return (
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    (error instanceof TypeError && error.cause === undefined)
  );
}

/**
 * Ends an execution whose end cannot be kept, without anything that it left. The status is what its outcome allows: nobody is
 * told that it succeeded when its result is gone. One that has ended already gets the log that readers wait for.
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
    const values = { cause, log, ended_at: end.endedAt, sealed_secrets: null, input: null };
    const isOver = (await move(transaction, id, eventOf(end), values)) || (await keepLateLog(transaction, id, { log }));
    // What an attempt before had stored, unless an attempt that was believed to have failed has been kept.
    const stored = isOver ? parts.map((part) => blobKeyOf(id, part)) : [];
    for (const blob of stored) await markOrphan(transaction, blob, now());
    return [...stored, ...(input === null ? [] : [input])];
  });
  executionChanged(database, id);
  await removeOrphans(database, blobs, unused);
  await clearPools(platform, id);
  await runtime.forget(id);
}

/** One that has not run is not given back: what was left of it could not be cleared away. */
function eventOf({ outcome }: ExecutionEnd): ExecutionEvent {
  return outcome === 'CANCELLED' || outcome === 'LOST' ? outcome : 'FAILED';
}
