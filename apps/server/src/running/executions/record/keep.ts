import { createHash, type Hash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { ExecutionRecord } from '@kethub/contract';
import type { ExecutionEnd } from '@kethub/runtime';
import type { Runnable } from '../../../catalog/services/index.ts';

/** The part of the record that is known when the job starts. It travels with the job, so it survives every restart. */
interface Note {
  readonly code: ExecutionRecord['code'];
  readonly environment: ExecutionRecord['environment'];
  readonly runTimeMs: number;
}

/** The JSON in the column `record`. */
export interface Kept extends Partial<Note> {
  readonly ranMs: number;
  readonly usage: Omit<NonNullable<ExecutionRecord['usage']>, 'bytesIn'>;
  readonly reason: string;
  readonly result: ExecutionRecord['result'];
  readonly files: readonly { readonly name: string; readonly digest: string; readonly bytes: number }[];
  readonly runnerVersion: string | null;
}

export function noteOf({ digest, origin, lock, limits }: Runnable): string {
  return JSON.stringify({
    code: { digest, ...(origin && { origin }) },
    environment: lock,
    runTimeMs: limits.runTimeMs,
  } satisfies Note);
}

/** The column `record` of an end, with the stored `result` and `files`. */
export function recordOf(end: ExecutionEnd, result: Kept['result'], files: Kept['files']): string {
  const note: Partial<Note> = end.note === undefined ? {} : (JSON.parse(end.note) as Note);
  // The file that is also the result is counted once.
  const same = result && end.files.find((file) => file.isResult)?.name;
  const written = files.filter(({ name }) => name !== same);
  const kept: Kept = {
    ...note,
    ranMs: Math.max(0, end.endedAt - end.startedAt),
    usage: {
      cpuSeconds: end.cpuMs === null ? null : end.cpuMs / 1000,
      peakMemoryBytes: end.peakMemoryBytes,
      measuredBy: end.measuredBy ?? null,
      bytesOut: (result?.bytes ?? 0) + written.reduce((sum, file) => sum + file.bytes, 0),
      logBytes: end.logBytes,
    },
    reason: end.cause?.type ?? end.outcome,
    result,
    files,
    runnerVersion: end.runnerVersion ?? null,
  };
  return JSON.stringify(kept);
}

export function digestOf(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A stream that passes all bytes on, and the hash of them after its end. */
export function hashed(): { readonly stream: Transform; readonly digest: () => string } {
  const hash: Hash = createHash('sha256');
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, digest: () => hash.digest('hex') };
}
