import { isFinal } from '@kethub/contract';
import type { Command } from 'commander';
import { CliFailure } from '../failures.ts';
import { findExecution } from '../platform/find-execution.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { describe } from './status.ts';

export function addCancel(program: Command, shell: Shell): void {
  addCommand(
    program,
    'cancel <execution>',
    'cancel an execution that is PENDING or RUNNING; `last` means the last one',
  ).action((execution: string, options: CommonOptions) => cancel(shell, execution, options));
}

async function cancel(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { id, executions } = await findExecution(shell, await openSession(shell), wanted);
  const execution = await executions.cancelExecution({ id });
  // A final status in the answer means that nothing was cancelled.
  if (isFinal(execution.status) && execution.status !== 'CANCELLED') {
    const message = `The execution ${id} had already ended: it is ${execution.status}.`;
    throw new CliFailure('refused', 'execution-already-ended', message, [`ket result ${id}`]);
  }
  outputOf(shell, options).result(describe(execution), execution);
}
