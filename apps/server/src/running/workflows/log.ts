import { setTimeout as pause } from 'node:timers/promises';
import { limits, type LogEntry } from '@kethub/contract';
import type { Event, JournalEntry } from '@kethub/workflow';
import { onExecutionChanged } from '../executions/index.ts';
import type { LogSource } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { readJournalAfter } from './journal.ts';

const AT_ONCE = 1_000;
const POLL_MS = 1_000;

/** The log of a workflow execution: its journal in words. Null when the execution is no workflow. */
export async function journalLog({ database }: Platform, executionId: string): Promise<LogSource | null> {
  const find = () =>
    database.read.selectFrom('workflow_instances').select('ended_at').where('id', '=', executionId).executeTakeFirst();
  if (!(await find())) return null;
  let text = '';
  let bytes = 0;
  let lastSeq = 0;
  let retried: number | null = null;
  /** Reads further entries. A journal only grows, so positions in its text stay valid. */
  const readOn = async (): Promise<boolean> => {
    if (bytes >= limits.logBytes) return false;
    const entries = await readJournalAfter(database.read, executionId, lastSeq, AT_ONCE);
    for (const entry of entries) {
      if (entry.type === 'event') retried = retriedBy(entry.event);
      const line = lineOf(entry, retried);
      lastSeq = entry.seq;
      if (!line) continue;
      const added = `${JSON.stringify(line)}\n`;
      bytes += Buffer.byteLength(added);
      if (bytes > limits.logBytes) return false;
      text += added;
    }
    return entries.length > 0;
  };
  return {
    async read(fromByte) {
      while (await readOn());
      const remaining = Buffer.from(text, 'utf8').subarray(fromByte);
      return { bytes: remaining, nextByte: fromByte + remaining.length };
    },
    isComplete: async () => (await find())?.ended_at !== null,
    async changed(signal) {
      const changed = new AbortController();
      const stop = onExecutionChanged(database, (id) => {
        if (id === executionId) changed.abort();
      });
      const either = AbortSignal.any([signal, changed.signal]);
      await pause(POLL_MS, undefined, { signal: either }).catch(() => undefined);
      stop();
    },
  };
}

function retriedBy(event: Event): number | null {
  return event.type === 'resolveIncident' ? event.incident : null;
}

/** `retried`: the incident that the event before this entry retries. */
function lineOf(entry: JournalEntry, retried: number | null): LogEntry | null {
  const line = (message: string, severity: LogEntry['severity'] = 'INFO'): LogEntry => ({
    timestamp: new Date(entry.at).toISOString(),
    severity,
    message,
  });
  switch (entry.type) {
    case 'activated':
      return line(`${entry.elementId} begins`);
    case 'completed':
      return line(`${entry.elementId} has ended`);
    case 'terminated':
      return line(`${entry.elementId} was ended`, 'NOTICE');
    case 'delayed':
      return line(`${entry.elementId} waits for its service, which is tried again: ${entry.reason}`, 'WARNING');
    case 'abandoned':
      return line(
        `${entry.elementId} was cancelled, but what it has called may run on at the provider's: ${entry.reason}`,
        'WARNING',
      );
    case 'warned':
      return line(`${entry.elementId} reads ${entry.expression}: ${entry.message}`, 'WARNING');
    case 'incident': {
      const { elementId, error } = entry.incident;
      return line(`${elementId} cannot go on: ${error.errorCode}: ${error.message}`, 'ERROR');
    }
    case 'resolved':
      // An incident is also resolved when its element ends, which has its own line.
      return entry.incident === retried ? line(`${entry.elementId} is tried again`, 'NOTICE') : null;
    case 'errorCaught':
      return line(`${entry.elementId} catches ${entry.error.errorCode}: ${entry.error.message}`, 'WARNING');
    case 'finished':
      return line(`The workflow has ended: ${entry.phase}`);
    default:
      return null;
  }
}
