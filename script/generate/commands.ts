import { createProgram } from '../../apps/cli/src/program.ts';
import { reference } from '../../apps/cli/src/reference.ts';
import { shellOfProcess } from '../../apps/cli/src/shell.ts';
import { between } from './marks.ts';

/** docs/cli.md with the reference of exit codes and commands. */
export function renewCommands(page: string): string {
  return between(page, 'commands', reference(createProgram(shellOfProcess())));
}
