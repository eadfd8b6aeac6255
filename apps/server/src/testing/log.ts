import { appendFileSync, openSync } from 'node:fs';
import { destination, multistream, pino, type Level, type Logger } from 'pino';
import { createLog } from '../foundation/process/index.ts';

/** File for the log lines of this test file. The run checks all of them in the end (test/log-check). */
const file = process.env['LOG_CHECK_FILE'];
const level = process.env['KETHUB_TEST_LOG'] as Level | undefined;

/**
 * Log of a platform under test: all lines to the file, those from level KETHUB_TEST_LOG on to standard output. Else
 * silent.
 */
export const testLog: Logger =
  file === undefined && level === undefined
    ? pino({ level: 'silent' })
    : createLog(
        'debug',
        multistream([
          ...(file === undefined ? [] : [{ level: 'trace' as const, stream: destination({ dest: file, sync: true }) }]),
          ...(level === undefined ? [] : [{ level, stream: process.stdout }]),
        ]),
      );

/** Standard output for a child process, which logs there. */
export const logOutput = (): number | 'ignore' => (file === undefined ? 'ignore' : openSync(file, 'a'));

/** Adds the log lines of a child process. */
export function checkLog(lines: string): void {
  if (file !== undefined) appendFileSync(file, lines);
}
