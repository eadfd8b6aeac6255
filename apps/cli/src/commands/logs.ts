import type { Command } from 'commander';
import { CliFailure } from '../failures.ts';
import { logLine } from '../follow.ts';
import { findExecution } from '../platform/find-execution.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { Interrupted, interruptible } from '../terminal/interrupt.ts';

interface LogsOptions extends CommonOptions {
  readonly follow?: boolean;
  readonly timestamps?: boolean;
}

export function addLogs(program: Command, shell: Shell): void {
  addCommand(program, 'logs [execution]', 'print the log of an execution (default: the last one)')
    .option('-f, --follow', 'follow the log until the execution ends')
    .option('-t, --timestamps', 'show the time (UTC) and the severity of every line')
    .addHelpText('after', '\nWith --json, every entry is a JSON object on its own line.')
    .action((execution: string | undefined, options: LogsOptions) => logs(shell, execution ?? 'last', options));
}

async function logs(shell: Shell, wanted: string, options: LogsOptions): Promise<void> {
  const output = outputOf(shell, options);
  const { id, executions } = await findExecution(shell, await openSession(shell), wanted);
  if (!options.follow) {
    for (const entry of await executions.getLog({ id }))
      output.item(logLine(entry, options.timestamps === true), entry);
    return;
  }
  try {
    await interruptible(async (signal) => {
      for await (const { entry } of executions.followLog(id, { signal }))
        output.item(logLine(entry, options.timestamps === true), entry);
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new CliFailure('interrupted', 'interrupted', `The log of ${id} is no longer followed.`, [`ket status ${id}`]);
  }
}
