import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { CliFailure, usageFailure } from '../failures.ts';
import { filesOfConda } from '../project/conda-files.ts';
import { foreignManifests, readForeignManifest } from '../project/foreign-manifest.ts';
import { manifestName } from '../project/manifest.ts';
import { addCommand, commandFor, outputOf, type CommonOptions, type Shell } from '../shell.ts';

/** Projects of another platform. */
export function addImport(program: Command, shell: Shell): void {
  addCommand(program, 'import [folder]', 'make a project with a planqk.json or qhub.json a Kethub project')
    .addHelpText(
      'after',
      `
Writes a kethub.json from the file, and a requirements.txt and .python-version from environment.yml. ket lists what it
leaves out. The files that are there stay, and ket goes on reading .planqkignore and .qhubignore. Without this command,
ket up takes such a folder as it is, and writes nothing into it.`,
    )
    .action((folder: string | undefined, options: CommonOptions) => importProject(shell, folder, options));
}

async function importProject(shell: Shell, wanted: string | undefined, options: CommonOptions): Promise<void> {
  const folder = path.resolve(shell.folder, wanted ?? '.');
  const names = new Set(await readdir(folder));
  if (names.has(manifestName))
    throw new CliFailure('usage', 'is-a-project', `${path.join(folder, manifestName)} exists already.`, [
      commandFor(shell, 'up', wanted),
    ]);
  const foreign = await readForeignManifest(folder);
  if (foreign === null)
    throw usageFailure(`${folder} has no ${foreignManifests.join(' and no ')}.`, commandFor(shell, 'init', wanted));
  const { file, manifest, ignored } = foreign;
  const output = outputOf(shell, options);
  for (const note of manifest.notes) output.note(note);
  if (ignored.length > 0) output.note(`${file}: ${ignored.join(', ')} is left out. ket finds a service by its name.`);
  const { name, description, configuration } = manifest;
  const isPython = configuration.runtime !== 'DOCKER';
  const made = new Map([[manifestName, `${JSON.stringify({ name, description, configuration }, null, 2)}\n`]]);
  if (isPython) for (const [one, text] of await filesOfConda(output, folder, names)) made.set(one, text);
  for (const [one, text] of made) {
    // Nothing that appeared in the meantime is overwritten.
    await writeFile(path.join(folder, one), text, { flag: 'wx' });
    output.note(`  ${output.style.green('new ')}  ${one}`);
  }
  output.note(`Next:\n  ${commandFor(shell, 'up', wanted)}`);
  output.result('', { folder, name, from: file, written: [...made.keys()], ignored });
}
