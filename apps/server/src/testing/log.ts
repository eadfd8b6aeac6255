import { appendFileSync, openSync } from 'node:fs';
import { destination, multistream, pino, type Level, type Logger } from 'pino';
import { createLog } from '../foundation/process/index.ts';

/** File of the log lines of this file of tests; the run looks through all of them in the end (test/log-check). */
const file = process.env['LOG_CHECK_FILE'];
const level = process.env['KETHUB_TEST_LOG'] as Level | undefined;

/** Log of a platform under test: all to the file, and from level KETHUB_TEST_LOG on to standard output. Else silent. */
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

/** Standard output of a process of its own that logs there. */
export const logOutput = (): number | 'ignore' => (file === undefined ? 'ignore' : openSync(file, 'a'));

/** Adds what a process of its own has logged. */
export function checkLog(lines: string): void {
  if (file !== undefined) appendFileSync(file, lines);
}
