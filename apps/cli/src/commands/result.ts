import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { ExecutionsEndpoint } from '@kethub/client';
import type { Command } from 'commander';
import { download } from '../download.ts';
import { usageFailure } from '../failures.ts';
import { findExecution } from '../platform/find-execution.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { requireEnded, showOutcome } from './outcome.ts';
import { followExecution } from './run.ts';

interface ResultOptions extends CommonOptions {
  readonly wait?: boolean;
  readonly outputDir?: string;
  readonly file?: string;
}

export function addResult(program: Command, shell: Shell): void {
  addCommand(program, 'result [execution]', 'print the result of an execution (default: the last one)')
    .option('--wait', 'wait for the end of the execution first')
    .option('--output-dir <folder>', 'download the result files into this folder; files of the same name are replaced')
    .option('--file <name>', 'print only this result file on standard output, or download it into the folder')
    .action((execution: string | undefined, options: ResultOptions) => result(shell, execution ?? 'last', options));
}

async function result(shell: Shell, wanted: string, options: ResultOptions): Promise<void> {
  const folder = options.outputDir === undefined ? null : path.resolve(shell.folder, options.outputDir);
  if (options.json && options.file !== undefined && folder === null)
    throw usageFailure('--file writes the file itself to standard output, where --json cannot stand beside it.');
  const output = outputOf(shell, options);
  const { id, executions } = await findExecution(shell, await openSession(shell), wanted);
  let execution = await executions.getExecution({ id });
  if (options.wait) execution = await followExecution(output, executions, execution, false);
  requireEnded(execution);
  if (options.file === undefined) return showOutcome(shell, output, executions, execution, folder);
  if (folder === null) return printFile(shell, executions, id, options.file);
  const { file } = options;
  const target = await download(folder, file, () => executions.getResultFile({ id, file }));
  output.note(`Saved ${target}`);
  output.result('', { execution, files: [{ name: file, path: target }] });
}

/** Writes the file unchanged to standard output, for a pipe. */
async function printFile(shell: Shell, executions: ExecutionsEndpoint, id: string, file: string): Promise<void> {
  const { body } = await executions.getResultFile({ id, file });
  if (body) await pipeline(Readable.fromWeb(body), shell.stdout, { end: false });
}
