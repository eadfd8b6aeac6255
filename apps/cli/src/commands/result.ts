import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { download } from '../download.ts';
import { usageFailure } from '../failures.ts';
import { findExecution } from '../platform/find-execution.ts';
import { openSession, type Door } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { requireEnded, showOutcome } from './outcome.ts';
import { followExecution } from './run.ts';

interface ResultOptions extends CommonOptions {
  readonly wait?: boolean;
  readonly outputDir?: string;
  readonly file?: string;
}

export function addResult(program: Command, shell: Shell): void {
  addCommand(program, 'result [execution]', 'print the result of an execution; without an id, of the last one')
    .option('--wait', 'wait for the end first')
    .option('--output-dir <folder>', 'download the result files into this folder, replacing those of the same name')
    .option('--file <name>', 'only this result file: on standard output, or into the folder')
    .action((execution: string | undefined, options: ResultOptions) => result(shell, execution ?? 'last', options));
}

async function result(shell: Shell, wanted: string, options: ResultOptions): Promise<void> {
  const folder = options.outputDir === undefined ? null : path.resolve(shell.folder, options.outputDir);
  if (options.json && options.file !== undefined && folder === null)
    throw usageFailure('--file writes the file itself to standard output, where --json cannot stand beside it.');
  const output = outputOf(shell, options);
  const { id, door } = await findExecution(shell, await openSession(shell), wanted);
  let execution = await door.getExecution({ id });
  if (options.wait) execution = await followExecution(output, door, execution, false);
  requireEnded(execution);
  if (options.file === undefined) return showOutcome(shell, output, door, execution, folder);
  if (folder === null) return printFile(shell, door, id, options.file);
  const { file } = options;
  const target = await download(folder, file, () => door.getResultFile({ id, file }));
  output.note(`Saved ${target}`);
  output.result('', { execution, files: [{ name: file, path: target }] });
}

/** The file as it is, for a pipe. */
async function printFile(shell: Shell, door: Door, id: string, file: string): Promise<void> {
  const { body } = await door.getResultFile({ id, file });
  if (body) await pipeline(Readable.fromWeb(body), shell.stdout, { end: false });
}
