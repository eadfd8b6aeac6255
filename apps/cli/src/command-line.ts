import { CommanderError } from 'commander';
import { CliFailure, reportOf } from './failures.ts';
import { createProgram } from './program.ts';
import type { Shell } from './shell.ts';
import { showFailure } from './terminal/report.ts';

/** Runs one command line and returns the exit code. */
export async function runCommandLine(shell: Shell, argv: readonly string[]): Promise<number> {
  try {
    await createProgram(shell).parseAsync(argv, { from: 'user' });
    return shell.exitCode;
  } catch (error) {
    // Help and version were requested and have been printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const report = reportOf(error instanceof CommanderError ? usageOf(error, argv) : error);
    showFailure(shell, report, argv.includes('--json'));
    return report.exitCode;
  }
}

function usageOf({ code, message }: CommanderError, argv: readonly string[]): CliFailure {
  const command = argv.find((argument) => !argument.startsWith('-'));
  // commander.help: called without a command. Commander has printed the help.
  if (code === 'commander.help') return new CliFailure('usage', 'usage', 'No command was given.');
  const help = command === undefined || code === 'commander.unknownCommand' ? 'ket --help' : `ket ${command} --help`;
  return new CliFailure('usage', 'usage', message.replace(/^error: /, ''), [help]);
}
