import { appendFileSync, openSync } from 'node:fs';
import { multistream, pino, type Level, type Logger } from 'pino';
import { createLog } from '../foundation/process/index.ts';

/** Returns the file for the log lines of this test file. The run checks all of them in the end (test/log-check). */
const file = (): string | undefined => process.env['LOG_CHECK_FILE'];
const level = process.env['KETHUB_TEST_LOG'] as Level | undefined;

/**
 * Log of a platform under test: all lines to the file, those from level KETHUB_TEST_LOG on to standard output. Else
 * silent.
 */
export const testLog: Logger =
  file() === undefined && level === undefined
    ? pino({ level: 'silent' })
    : createLog(
        'debug',
        multistream([
          { level: 'trace' as const, stream: { write: checkLog } },
          ...(level === undefined ? [] : [{ level, stream: process.stdout }]),
        ]),
      );

/** Standard output for a child process, which logs there. */
export function logOutput(): number | 'ignore' {
  const own = file();
  return own === undefined ? 'ignore' : openSync(own, 'a');
}

/** Adds log lines, also of a child process, to those of the test file that runs now. */
export function checkLog(lines: string): void {
  const own = file();
  if (own !== undefined) appendFileSync(own, lines);
}
