import { mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { multistream, type Logger } from 'pino';
import { createLog, openDestination } from './log.ts';

/** Bytes of the log file; a larger one is renamed and a new one begun. */
const FILE_BYTES = 20 * 1024 * 1024;
/** Milliseconds between two checks of the size. */
const CHECK_MS = 10_000;

export interface LogFile {
  readonly log: Logger;
  readonly file: string;
  close(): void;
}

/** Opens the platform's log, `<data folder>/log/kethub.log`. One older file is kept. Errors also go to stderr. */
export function openLogFile(dataDir: string, level: string): LogFile {
  const file = path.join(dataDir, 'log', 'kethub.log');
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const stream = openDestination(file);
  const rotate = (): void => {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes < FILE_BYTES) return;
    renameSync(file, `${file}.1`);
    stream.reopen();
  };
  const timer = setInterval(rotate, CHECK_MS).unref();
  const log = createLog(
    level,
    multistream([
      { level: 'trace', stream },
      { level: 'error', stream: process.stderr },
    ]),
  );
  return {
    log,
    file,
    close() {
      clearInterval(timer);
      stream.flushSync();
      stream.end();
    },
  };
}
