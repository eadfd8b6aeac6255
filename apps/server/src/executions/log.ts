import type { Runtime } from '@kethub/runtime';
import { keepLog, keptLogSource, type KeptLog, type LogSource } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import type { ExecutionWatch } from './watch.ts';

/** The whole log of an execution that has ended, as the runtime wrote it, kept. */
export async function keepExecutionLog(platform: Platform, runtime: Runtime, id: string): Promise<KeptLog> {
  const parts: Buffer[] = [];
  let position = 0;
  for (;;) {
    const { bytes, nextByte } = await runtime.readLog(id, position);
    if (bytes.length === 0) break;
    parts.push(bytes);
    position = nextByte;
  }
  return keepLog(platform.blobs, Buffer.concat(parts));
}

/** The log of an execution: from the runtime while it runs, from where it was kept afterwards, without a gap between. */
export function executionLog(
  platform: Platform,
  runtime: Runtime | null,
  watch: ExecutionWatch,
  id: string,
): LogSource {
  const kept = async (): Promise<KeptLog | null> => {
    const row = await platform.database.read
      .selectFrom('executions')
      .select(['log', 'log_blob'])
      .where('id', '=', id)
      .executeTakeFirst();
    return row && (row.log !== null || row.log_blob !== null) ? row : null;
  };
  return {
    async read(fromByte) {
      const before = await kept();
      if (before) return keptLogSource(platform.blobs, before).read(fromByte);
      const live = runtime ? await runtime.readLog(id, fromByte) : { bytes: Buffer.alloc(0), nextByte: fromByte };
      if (live.bytes.length > 0) return live;
      // The runtime may have forgotten it since: then it is kept by now.
      const after = await kept();
      return after ? keptLogSource(platform.blobs, after).read(fromByte) : live;
    },
    isComplete: async () => (await kept()) !== null,
    async changed(signal) {
      const grown = new AbortController();
      const stop = runtime?.onLog((executionId) => {
        if (executionId === id) grown.abort();
      });
      try {
        await watch.changed(id, AbortSignal.any([signal, grown.signal]));
      } finally {
        stop?.();
      }
    },
  };
}
