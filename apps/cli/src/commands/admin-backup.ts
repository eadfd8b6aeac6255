import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { CliFailure, usageFailure } from '../failures.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { sizeText } from '../terminal/size.ts';

/** Program of the platform that reads and fills its database and files. An installed ket comes without it. */
const PROGRAM = path.join(import.meta.dirname, '../../../server/src/backup/program.ts');
/** Most characters of what it says that are kept. */
const SAID = 20_000;

/** Commands on the machine of an installation, with its settings in the environment. */
export function addBackup(admin: Command, shell: Shell): void {
  const settings = `
It runs on a machine of the installation, in the folder of Kethub, as the user of the platform. Its environment has the
same settings (KETHUB_DATA_DIR, DATABASE_URL, KETHUB_BLOBS …). The instance key is no part of a backup: keep it elsewhere.`;
  addCommand(admin, 'backup <folder>', 'write a backup into a new folder, also while the platform runs')
    .addHelpText('after', settings)
    .action((folder: string, options: CommonOptions) => work(shell, 'backup', folder, options));
  addCommand(admin, 'restore <folder>', 'restore a backup into an empty installation that does not run')
    .addHelpText('after', settings)
    .action((folder: string, options: CommonOptions) => work(shell, 'restore', folder, options));
}

interface Manifest {
  readonly createdAt: string;
  readonly bytes: number;
  readonly blobs: number;
  readonly repositories: number;
}

async function work(shell: Shell, command: 'backup' | 'restore', given: string, options: CommonOptions): Promise<void> {
  if (!existsSync(PROGRAM))
    throw usageFailure(
      'This command belongs to an installation of Kethub, and this ket was installed without one.',
      `npm run ket -- admin ${command} <folder>    (in the folder of Kethub)`,
    );
  const folder = path.resolve(shell.folder, given);
  const manifest = JSON.parse(await said(shell, [PROGRAM, command, folder])) as Manifest;
  const parts = `${sizeText(manifest.bytes)}, ${manifest.blobs} files and ${manifest.repositories} repositories`;
  const text =
    command === 'backup'
      ? `${folder}: ${parts}.`
      : `Restored: ${parts}, as of ${manifest.createdAt}. Start the platform.`;
  outputOf(shell, options).result(text, { folder, ...manifest });
}

async function said(shell: Shell, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: shell.folder,
    env: shell.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] = (texts[name] + text).slice(-SAID);
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new CliFailure('refused', 'not-possible', texts.stderr.trim() || 'It was ended by a signal.');
  return texts.stdout;
}
