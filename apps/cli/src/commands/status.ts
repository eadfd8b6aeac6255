import type { ServiceExecution } from '@kethub/contract';
import type { Command } from 'commander';
import { findExecution } from '../platform/find-execution.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';

export function addStatus(program: Command, shell: Shell): void {
  addCommand(program, 'status [execution]', 'show the status of an execution (default: the last one)').action(
    (execution: string | undefined, options: CommonOptions) => status(shell, execution ?? 'last', options),
  );
}

async function status(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { id, executions } = await findExecution(shell, await openSession(shell), wanted);
  const execution = await executions.getExecution({ id });
  outputOf(shell, options).result(describe(execution), execution);
}

export function describe({ id, status, createdAt, startedAt, endedAt, tags }: ServiceExecution): string {
  const times = [
    ['created', createdAt],
    ['started', startedAt],
    ['ended', endedAt],
  ].flatMap(([name, time]) => (time === undefined ? [] : [`${(name ?? '').padEnd(8)} ${time} UTC`]));
  const tagged = tags === undefined ? [] : [`tags     ${tags.join(', ')}`];
  return [`${status}  ${id}`, ...times, ...tagged].join('\n');
}
