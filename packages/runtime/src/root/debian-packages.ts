import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../errors.ts';

const run = promisify(execFile);

/** Milliseconds for one command of apt. Beyond them the download fails. */
const LONGEST_MS = 20 * 60_000;

/** This machine cannot build a root. The message is the reason; `remedy` says what to do. */
export class RootNotBuilt extends Error {
  override readonly name = 'RootNotBuilt';
  readonly remedy: string;

  constructor(reason: string, remedy: string) {
    super(reason);
    this.remedy = remedy;
  }
}

/**
 * Downloads packages of Debian with their dependencies into `archives` of a folder, whatever is installed here. apt checks
 * signatures and hashes. Returns the names of the files.
 */
export async function downloadPackages(draft: string, packages: readonly string[], say: (line: string) => void): Promise<string[]> {
  const archives = join(draft, 'archives');
  await mkdir(join(archives, 'partial'), { recursive: true });
  await mkdir(join(draft, 'lists', 'partial'), { recursive: true });
  await writeFile(join(draft, 'status'), '');
  const settings = [`Dir::State::status=${draft}/status`, `Dir::Cache::archives=${archives}`, `Dir::Cache::pkgcache=`];
  const options = [...settings, 'Dir::Cache::srcpkgcache=', 'Debug::NoLocking=1', 'APT::Sandbox::User=', 'Acquire::Retries=1'];
  const install = ['install', '--download-only', '--no-install-recommends', ...packages];
  say('Downloading packages of Debian.');
  try {
    await apt(options, install);
  } catch (error) {
    say(`The lists of packages of this machine do not do (${reasonOf(error)}). Downloading lists.`);
    const own = [...options, `Dir::State::lists=${draft}/lists`];
    try {
      await apt(own, ['update']);
      await apt(own, install);
    } catch (again) {
      throw new RootNotBuilt(
        `Packages of Debian could not be downloaded: ${reasonOf(again)}`,
        'Give the machine a way to its package mirror (apt-get update must work) and start Kethub again, or build the root by hand: node script/sandbox-root.ts',
      );
    }
  }
  return (await readdir(archives)).filter((name) => name.endsWith('.deb')).toSorted();
} // prettier-ignore

async function apt(options: readonly string[], command: readonly string[]): Promise<void> {
  await run('apt-get', ['-qq', '-y', ...options.flatMap((option) => ['-o', option]), ...command], { timeout: LONGEST_MS });
} // prettier-ignore

function reasonOf(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : messageOf(error);
  const lines = text.split('\n').filter((line) => line.startsWith('E:'));
  return (lines.at(-1) ?? text).trim().slice(0, 300);
}
