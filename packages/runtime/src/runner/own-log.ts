import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

/** Bytes of the log. Beyond them it is shortened. */
const LIMIT_BYTES = 4 * 1024 * 1024;
/** Bytes that stay when the log is shortened. */
const KEPT_BYTES = 1024 * 1024;
/** Milliseconds between two looks at its size. */
const LOOK_MS = 60_000;

/**
 * Keeps the log of the runner below about 4 MiB: when it grows beyond, only its last 1 MiB stays. Lines that a full disk
 * does not take are lost; without a listener, the first of them would end the runner.
 */
export function boundOwnLog(path: string): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const look = (): void => {
    try {
      if (existsSync(path)) shorten(path);
    } catch {
      // The disk is full or away. The next look tries again.
    }
  };
  look();
  setInterval(look, LOOK_MS).unref();
}

function shorten(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    if (size <= LIMIT_BYTES) return;
    const kept = Buffer.alloc(KEPT_BYTES);
    const length = readSync(file, kept, 0, KEPT_BYTES, size - KEPT_BYTES);
    ftruncateSync(file, 0); // stdout and stderr of the runner append, wherever the end is
    writeSync(file, kept, 0, length, 0);
  } finally {
    closeSync(file);
  }
}
