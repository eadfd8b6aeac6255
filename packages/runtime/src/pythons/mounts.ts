import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { InstalledPython } from './installed.ts';

/** The mounts by which a sandbox gets another interpreter than its root's. */
export interface PythonMounts {
  /** Read-only mounts over the root. */
  mounts: { from: string; to: string }[];
  /** Folders of its standard library, on this machine. */
  standard: string[];
}

/**
 * The mounts that give a sandbox this interpreter: its files at `/python`, and the root's commands with a `python3`
 * that links to it. Its folders are beside the root (`rootDir`) and are made on first use: 50 links. They hold our
 * Python side compiled for this interpreter, since a sandbox cannot write bytecode.
 */
export function mountsOfPython(
  python: InstalledPython,
  { rootDir, usr, runner }: { rootDir: string; usr: string; runner: string },
): PythonMounts {
  const folder = join(rootDir, 'pythons', basename(join(python.home, '..')));
  if (!existsSync(folder)) make(folder, python, usr, runner);
  const library = join(python.home, 'lib', `python${python.version}`);
  return {
    mounts: [
      { from: python.home, to: '/python' },
      { from: join(folder, 'bin'), to: '/usr/bin' },
      { from: join(folder, 'runner'), to: '/runner' },
    ],
    standard: [library, join(library, 'lib-dynload')],
  };
}

function make(folder: string, python: InstalledPython, usr: string, runner: string): void {
  const draft = `${folder}-${randomUUID()}`;
  try {
    mkdirSync(join(draft, 'bin'), { recursive: true, mode: 0o755 });
    for (const entry of readdirSync(join(usr, 'bin'), { withFileTypes: true })) {
      if (!entry.isFile() || entry.name.startsWith('python')) continue;
      link(join(usr, 'bin', entry.name), join(draft, 'bin', entry.name));
    }
    for (const name of ['python3', 'python', `python${python.version}`])
      symlinkSync(`/python/bin/python${python.version}`, join(draft, 'bin', name));
    const copied = spawnSync('/bin/cp', ['-r', '--no-preserve=mode', runner, join(draft, 'runner')], { env: {} });
    if (copied.status !== 0) throw new Error(`The Python side could not be copied: ${String(copied.stderr)}`);
    compile(python, join(draft, 'runner'));
    spawnSync('/bin/chmod', ['-R', 'u=rwX,go=rX', draft], { env: {} });
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // otherwise another process was faster
  }
}

function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // another disk
  }
}

/**
 * Compiles our Python side outside a sandbox, as the interpreter is a file with a fixed hash. If that fails, each start
 * compiles.
 */
function compile({ home, version }: InstalledPython, runner: string): void {
  const options = [
    '-I',
    '-S',
    '-m',
    'compileall',
    '-qq',
    '--invalidation-mode',
    'unchecked-hash',
    '-s',
    runner,
    '-p',
    '/runner',
  ];
  spawnSync(join(home, 'bin', `python${version}`), [...options, runner], { env: {}, cwd: '/' });
}
