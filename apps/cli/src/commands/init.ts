import path from 'node:path';
import type { Command } from 'commander';
import { writeStarter } from '../project/starter.ts';
import { addCommand, commandFor, outputOf, type CommonOptions, type Shell } from '../shell.ts';

export function addInit(program: Command, shell: Shell): void {
  addCommand(
    program,
    'init [folder]',
    'create a service that works in a folder; a folder with code gets only a kethub.json',
  ).action((folder: string | undefined, options: CommonOptions) => init(shell, folder ?? '.', options));
}

async function init(shell: Shell, folder: string, options: CommonOptions): Promise<void> {
  const output = outputOf(shell, options);
  const target = path.resolve(shell.folder, folder);
  const { name, written, kept } = await writeStarter(target);
  for (const file of written) output.note(`  ${output.style.green('new ')}  ${file}`);
  for (const file of kept) output.note(`  ${output.style.dim('kept')}  ${file}`);
  // No cd: the command that npm runs is known in the folder of Kethub only.
  const at = target === shell.folder ? undefined : folder;
  output.note(
    [
      'Next:',
      `  ${commandFor(shell, 'serve', at)}  try it on this machine`,
      `  ${commandFor(shell, 'up', at)}     upload, build and publish it`,
      `  ${commandFor(shell, 'run', at)}    run it`,
    ].join('\n'),
  );
  output.result('', { folder: target, name, written, kept });
}
