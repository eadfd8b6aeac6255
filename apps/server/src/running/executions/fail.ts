import { EngineUnavailable, StartRefused } from '@kethub/runtime';
import { clearPools } from '../../catalog/datapools/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { dropInput, removeInput } from './input-blob.ts';
import { keepLateLog, move } from './queries.ts';
import { executionChanged } from './watch.ts';

/** Ends an execution that cannot be started. */
export async function failExecution(platform: Platform, id: string, reason: unknown): Promise<void> {
  const title = 'Could not be started';
  const detail = inWords(reason);
  const cause = JSON.stringify({ type: 'about:blank', title, detail });
  const timestamp = new Date(platform.now()).toISOString();
  const log = `${JSON.stringify({ timestamp, severity: 'ERROR', message: `${title}: ${detail}` })}\n`;
  const unused = await platform.database.write(async (transaction) => {
    const input = await dropInput(transaction, id, platform.now());
    const ended_at = platform.now();
    if (await move(transaction, id, 'FAILED', { cause, ended_at, sealed_secrets: null, log })) return input;
    await keepLateLog(transaction, id, { log: '' });
    return input;
  });
  executionChanged(platform.database, id);
  await removeInput(platform, unused);
  await clearPools(platform, id);
}

/** Ends an execution that was cancelled after its claim and never handed to the runtime. */
export async function forgetCancelled(platform: Platform, id: string): Promise<void> {
  const unused = await platform.database.write(async (transaction) => {
    await keepLateLog(transaction, id, { log: '' });
    return dropInput(transaction, id, platform.now());
  });
  executionChanged(platform.database, id);
  await removeInput(platform, unused);
  await clearPools(platform, id);
}

/** Returns whether the machine refused the start for now, so that another attempt can succeed. */
export function wasRefused(reason: unknown): boolean {
  return reason instanceof StartRefused || reason instanceof EngineUnavailable;
}

/** The reason for the caller. A Problem says what the caller can do; the details of any other error are in the log. */
function inWords(reason: unknown): string {
  if (reason instanceof Problem) return reason.message;
  if (reason instanceof StartRefused && reason.words !== null) return reason.words;
  return wasRefused(reason)
    ? 'The sandbox or the container could not be started on this machine. The operator finds the cause in the log.'
    : 'The platform could not prepare the execution. The operator finds the cause in the log.';
}
