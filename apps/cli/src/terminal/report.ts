import { exitCodes, type Report } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { createOutput } from './output.ts';

/** Reports a failure: for people on standard error; in JSON mode also as `{"error": ...}` on standard output. */
export function showFailure(shell: Shell, failure: Report, json: boolean): void {
  const output = createOutput({ ...shell, json });
  const next = failure.next.map((command) => command.replace(/^ket /, `${shell.command} `));
  const isError = failure.exitCode !== exitCodes.interrupted.code;
  output.note(`${isError ? `${output.style.red('error:')} ` : ''}${failure.message}`);
  for (const { pointer, detail } of failure.errors ?? []) output.note(`  ${pointer || '/'} ${detail}`);
  if (next.length > 0) output.note(`Next:\n${next.map((command) => `  ${command}`).join('\n')}`);
  if (failure.requestId !== undefined && (failure.status ?? 0) >= 500)
    output.note(`The operator finds the cause in the log under the request id ${failure.requestId}.`);
  if (failure.stack !== undefined)
    output.note(`This is a defect in ket. Please report it with these lines:\n${failure.stack}`);
  if (json) {
    const { stack: _, ...reported } = failure;
    output.result('', { error: { ...reported, next } });
  }
}
