import { setTimeout as pause } from 'node:timers/promises';
import { isEnded } from '@kethub/client';
import type { OwnedExecution } from '@kethub/contract';
import type { Command } from 'commander';
import { findServiceId } from '../platform/select-service.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { Interrupted, interruptible } from '../terminal/interrupt.ts';
import { printable } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';

interface WatchOptions extends CommonOptions {
  readonly limit: number;
  readonly untilEnded?: boolean;
}

/** Milliseconds between two looks at the list. */
const PAUSE_MS = 1_000;

/** Executions as they change. */
export function addWatch(program: Command, shell: Shell): void {
  addCommand(program, 'watch [service]', 'watch your newest executions: all, or those of one service')
    .option('--limit <number>', 'number of executions', positiveInteger, 15)
    .option('--until-ended', 'stop when all of them have ended')
    .addHelpText(
      'after',
      `
On a terminal ket redraws a table. Elsewhere, and with --json, it prints a line for each change of a status. Ctrl-C stops
watching; the executions go on.`,
    )
    .action((wanted: string | undefined, options: WatchOptions) => watch(shell, wanted, options));
}

async function watch(shell: Shell, wanted: string | undefined, options: WatchOptions): Promise<void> {
  const session = await openSession(shell);
  const serviceId = wanted === undefined ? undefined : await findServiceId(session, wanted);
  const show = options.json !== true && shell.stdout.isTTY ? tableOn(shell) : linesOn(shell, options);
  const limit = Math.min(options.limit, 1_000);
  try {
    await interruptible(async (signal) => {
      for (;;) {
        const shown = await session.platform.listOwnedExecutions({ limit, serviceId, signal });
        show(shown);
        if (options.untilEnded === true && shown.every(isEnded)) return;
        await pause(PAUSE_MS, undefined, { signal });
      }
    });
  } catch (error) {
    if (!isStopped(error)) throw error;
  }
}

/** Ctrl-C is the way to end a watch, and no failure. The pause reports it as an AbortError. */
function isStopped(error: unknown): boolean {
  return error instanceof Interrupted || (error instanceof Error && error.name === 'AbortError');
}

/** Prints one line for each execution that is new or has another status. */
function linesOn(shell: Shell, options: CommonOptions): (shown: readonly OwnedExecution[]) => void {
  const output = outputOf(shell, options);
  const known = new Map<string, string>();
  return (shown) => {
    for (const one of shown.toReversed()) {
      if (known.get(one.id) === one.status) continue;
      known.set(one.id, one.status);
      const { _links: _unused, ...value } = one;
      output.item([one.id, one.status.padEnd(9), serviceOf(one)].join('  '), value);
    }
  };
}

/** Redraws a table over the one before. */
function tableOn(shell: Shell): (shown: readonly OwnedExecution[]) => void {
  let lines = 0;
  return (shown) => {
    const rows = shown.map((one) => [one.id, one.status, serviceOf(one), one.createdAt, one.endedAt ?? '']);
    const width = (shell.stdout.columns || 80) - 1;
    const text = table(['EXECUTION', 'STATUS', 'SERVICE', 'CREATED (UTC)', 'ENDED (UTC)'], rows)
      .split('\n')
      .slice(0, Math.max(2, (shell.stdout.rows || 24) - 1))
      .map((line) => printable(line, true).slice(0, width));
    const back = lines === 0 ? '' : `\u001B[${lines}A\u001B[J`;
    shell.stdout.write(`${back}${text.join('\n')}\n`);
    lines = text.length;
  };
}

function serviceOf({ serviceName, version }: OwnedExecution): string {
  return serviceName === undefined ? '(deleted)' : `${serviceName}@${version}`;
}
