import { CommanderError, type Command } from 'commander';
import { CliFailure, reportOf } from './failures.ts';
import { createProgram } from './program.ts';
import type { Shell } from './shell.ts';
import { showFailure } from './terminal/report.ts';

/** Runs one command line and returns the exit code. */
export async function runCommandLine(shell: Shell, argv: readonly string[]): Promise<number> {
  const program = createProgram(shell);
  // The option belongs to each command. Before the command it means the same.
  const words = argv[0] === '--json' && argv.length > 1 ? [...argv.slice(1), '--json'] : argv;
  try {
    await program.parseAsync(words, { from: 'user' });
    return shell.exitCode;
  } catch (error) {
    // Help and version were requested and have been printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const report = reportOf(error instanceof CommanderError ? usageOf(error, program, argv) : error);
    showFailure(shell, report, argv.includes('--json'));
    return report.exitCode;
  }
}

function usageOf({ code, message }: CommanderError, program: Command, argv: readonly string[]): CliFailure {
  // commander.help: called without a command. Commander has printed the help.
  if (code === 'commander.help') return new CliFailure('usage', 'usage', 'No command was given.');
  const help = ['ket', ...commandIn(program, argv), '--help'].join(' ');
  return new CliFailure('usage', 'usage', message.replace(/^error: /, ''), [help]);
}

/** The command that a command line names, such as `app rotate`. Values of options before it are passed over. */
function commandIn(program: Command, argv: readonly string[]): string[] {
  const names: string[] = [];
  let at = program;
  for (const word of argv.filter((one) => !one.startsWith('-'))) {
    const next = at.commands.find((one) => one.name() === word);
    if (next === undefined && names.length > 0) break;
    if (next === undefined) continue;
    names.push(word);
    at = next;
  }
  return names;
}
