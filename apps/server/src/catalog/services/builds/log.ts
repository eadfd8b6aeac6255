import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { limits, type LogEntry } from '@kethub/contract';
import { copiedLog, isKept, keptLogSource, onLogCopied, type LogSource } from '../../../foundation/logs/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { findBuild } from '../queries.ts';
import { onBuildChanged } from './changes.ts';

export function logFile(platform: Platform, id: string): string {
  return path.join(platform.configuration.dataDir, 'builds', `${id}.ndjson`);
}

/**
 * The log of a build. While the build runs on this worker, the log is read from its file, on another worker from the
 * copies that this one makes. Afterwards it is read from the row or the blob.
 */
export function buildLog(platform: Platform, id: string): LogSource {
  const { database, blobs } = platform;
  const find = () => findBuild(database.read, id);
  const copied = copiedLog(database, id, async () => isKept(await find()));
  const readLive = async (workerId: string | null, fromByte: number): ReturnType<LogSource['read']> => {
    if (workerId !== null && workerId !== platform.workerId) return copied.read(fromByte);
    const bytes = workerId === null ? Buffer.alloc(0) : await tail(logFile(platform, id), fromByte);
    return { bytes, nextByte: fromByte + bytes.length };
  };
  return {
    async read(fromByte) {
      const before = await find();
      if (before && isKept(before)) return keptLogSource(blobs, before).read(fromByte);
      const live = await readLive(before?.worker_id ?? null, fromByte);
      if (live.bytes.length > 0) return live;
      // The build may have ended meanwhile; then the log is stored.
      const after = await find();
      return after && isKept(after) ? keptLogSource(blobs, after).read(fromByte) : live;
    },
    isComplete: async () => isKept(await find()),
    async changed(signal) {
      const either = new AbortController();
      const end = AbortSignal.any([signal, either.signal]);
      try {
        await Promise.race([onBuildChanged(database, id, 1_000), onLogCopied(database, id, end)]);
      } finally {
        either.abort();
      }
    },
  };
}

/** Bytes that one read takes from a file. A longer line is read in twice as large pieces. */
const PIECE_BYTES = 1024 * 1024;

/** Reads whole lines from a byte on: at most 1 MiB, or one line that is longer. */
export async function tail(file: string, fromByte: number): Promise<Buffer> {
  if (!existsSync(file)) return Buffer.alloc(0);
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const left = Math.max(0, size - fromByte);
    for (let piece = PIECE_BYTES; ; piece *= 2) {
      const bytes = Buffer.alloc(Math.min(left, piece));
      await handle.read(bytes, 0, bytes.length, fromByte);
      const lines = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
      if (lines.length > 0 || bytes.length === left) return lines;
    }
  } finally {
    await handle.close();
  }
}

export function entry(severity: LogEntry['severity'], message: string, now: number): LogEntry {
  return { timestamp: new Date(now).toISOString(), severity, message };
}

/**
 * Appends entries to the file of a build's log, up to the limit. A new writer starts the log anew unless `goOn` is set.
 */
export class BuildLogWriter {
  readonly #file: string;
  readonly #changed: () => void;
  #bytes = 0;

  constructor(file: string, changed: () => void, goOn = false) {
    this.#file = file;
    this.#changed = changed;
    if (!goOn) rmSync(file, { force: true });
  }

  add(line: LogEntry): void {
    if (this.#bytes > limits.logBytes) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += Buffer.byteLength(text);
    const cut = entry(
      'WARNING',
      `The log has reached ${limits.logBytes} bytes; what follows is cut.`,
      Date.parse(line.timestamp),
    );
    appendFileSync(this.#file, this.#bytes > limits.logBytes ? `${JSON.stringify(cut)}\n` : text, { mode: 0o600 });
    this.#changed();
  }
}
