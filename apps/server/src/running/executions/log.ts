import type { ExecutionEnd, Runtime } from '@kethub/runtime';
import {
  copiedLog,
  isKept,
  keepLog,
  keptLogSource,
  onLogCopied,
  type KeptLog,
  type LogSource,
  type StoredLog,
} from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { blobKeyOf } from '../../foundation/storage/index.ts';
import type { ExecutionWatch } from './watch.ts';

/** Stores the whole log of an execution that has ended, as the runtime has written it. */
export async function keepExecutionLog(
  platform: Platform,
  runtime: Runtime,
  { executionId: id, logBytes }: Pick<ExecutionEnd, 'executionId' | 'logBytes'>,
): Promise<StoredLog> {
  const parts: Buffer[] = [];
  for (let position = 0; position < logBytes;) {
    const { bytes, nextByte } = await runtime.readLog(id, position);
    if (bytes.length === 0) break;
    parts.push(bytes);
    position = nextByte;
  }
  return keepLog(Buffer.concat(parts), (bytes) => platform.blobs.put(bytes, blobKeyOf(id, 'log')));
}

/** The logs of executions that run on the worker of this process. */
export type ExecutionLogs = Pick<Runtime, 'readLog' | 'onLog'>;

/**
 * The log of an execution, without a gap. It comes from the worker while the execution runs here, from the copies of
 * its worker while it runs elsewhere, and from storage afterwards.
 */
export function executionLog(
  platform: Platform,
  logs: ExecutionLogs | null,
  watch: ExecutionWatch,
  id: string,
): LogSource {
  const find = () =>
    platform.database.read
      .selectFrom('executions')
      .select(['log', 'log_blob', 'worker_id'])
      .where('id', '=', id)
      .executeTakeFirst();
  const isKept = async (): Promise<boolean> => keptOf(await find()) !== null;
  const copied = copiedLog(platform.database, id, isKept);
  const readLive = async (workerId: string | null, fromByte: number): ReturnType<LogSource['read']> => {
    if (workerId === null) return { bytes: Buffer.alloc(0), nextByte: fromByte };
    return logs && workerId === platform.workerId ? logs.readLog(id, fromByte) : copied.read(fromByte);
  };
  return {
    async read(fromByte) {
      const before = await find();
      const kept = keptOf(before);
      if (kept) return keptLogSource(platform.blobs, kept).read(fromByte);
      const live = await readLive(before?.worker_id ?? null, fromByte);
      if (live.bytes.length > 0) return live;
      // The runtime may have forgotten it meanwhile: then the log is stored by now.
      const after = keptOf(await find());
      return after ? keptLogSource(platform.blobs, after).read(fromByte) : live;
    },
    isComplete: isKept,
    async changed(signal) {
      const grown = new AbortController();
      const stop = logs?.onLog((executionId) => {
        if (executionId === id) grown.abort();
      });
      const either = AbortSignal.any([signal, grown.signal]);
      void onLogCopied(platform.database, id, either).then(() => grown.abort());
      try {
        await watch.changed(id, either);
      } finally {
        grown.abort();
        stop?.();
      }
    },
  };
}

function keptOf(row: KeptLog | undefined): KeptLog | null {
  return row && isKept(row) ? row : null;
}
