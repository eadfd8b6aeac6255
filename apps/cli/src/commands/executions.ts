import { KethubError } from '@kethub/client';
import type { Command } from 'commander';
import { findExecution, type FoundExecution } from '../platform/find-execution.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';

/**
 * Questions whether a cancelled execution has ended. Its processes have 5 s; after the last question the deletion
 * fails.
 */
const ATTEMPTS = 40;
/** Milliseconds between two questions. */
const PAUSE_MS = 250;

interface DeleteOptions extends CommonOptions {
  readonly cancel?: boolean;
}

export function addExecutions(program: Command, shell: Shell): void {
  const executions = program.command('executions').description('delete executions');
  addCommand(
    executions,
    'delete <execution...>',
    'delete executions that have ended, with result, result files and log; `last` means the last one',
  )
    .option('--cancel', 'first cancel executions that have not ended')
    .action((wanted: string[], options: DeleteOptions) => remove(shell, wanted, options));
}

async function remove(shell: Shell, wanted: readonly string[], { cancel, ...options }: DeleteOptions): Promise<void> {
  const session = await openSession(shell);
  const deleted: string[] = [];
  for (const one of wanted) {
    const found = await findExecution(shell, session, one);
    if (cancel === true) await cancelAndDelete(session, found);
    else await session.platform.deleteOwnedExecution({ executionId: found.id });
    deleted.push(found.id);
  }
  outputOf(shell, options).result(deleted.map((id) => `${id} is deleted.`).join('\n'), { deleted });
}

async function cancelAndDelete({ platform }: Session, { id, executions }: FoundExecution): Promise<void> {
  await executions.cancelExecution({ id });
  for (let attempt = 1; ; attempt++) {
    try {
      return await platform.deleteOwnedExecution({ executionId: id });
    } catch (error) {
      // Its processes are still ending.
      if (!isRefused(error, 'execution-not-ended') || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function isRefused(error: unknown, code: string): boolean {
  return error instanceof KethubError && error.code === code;
}
