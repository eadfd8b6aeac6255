import type { Readable } from 'node:stream';

export interface StatusReader {
  firstPid: number | null;
  exitCode(): number | null;
  onFirstPid(then: (pid: number) => void): void;
}

/** Bytes kept of the report. bubblewrap writes about 100; further bytes are ignored. */
const STATUS_BYTES = 4096;

/**
 * Reads `--json-status-fd`: one JSON object with `child-pid`, later one with `exit-code` if the command was executed.
 */
export function readStatus(stream: Readable): StatusReader {
  let text = '';
  let listener: ((pid: number) => void) | null = null;
  const reader: StatusReader = {
    firstPid: null,
    exitCode() {
      const found = /"exit-code": (\d+)/.exec(text)?.[1];
      return found === undefined ? null : Number(found);
    },
    onFirstPid(then) {
      listener = then;
    },
  };
  stream.on('data', (chunk: Buffer) => {
    if (text.length < STATUS_BYTES) text += chunk.toString('latin1');
    const found = /"child-pid": (\d+)[^\d]/.exec(text)?.[1];
    if (reader.firstPid !== null || found === undefined) return;
    reader.firstPid = Number(found);
    listener?.(reader.firstPid);
  });
  stream.on('error', () => {
    stream.destroy();
  });
  return reader;
}
