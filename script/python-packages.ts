import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

const PYTHON = '/usr/bin/python3';

/** Packages cannot be installed here. The message is the reason. */
export class PackagesMissing extends Error {}

/**
 * A folder with the packages of a file of requirements, for PYTHONPATH. They are installed once into .runtime/ from wheels
 * whose SHA-256 is pinned. Throws PackagesMissing.
 */
export function fetchPackages(what: string, requirements: string, say: (line: string) => void): string {
  const runtime = path.join(root, '.runtime');
  const file = path.join(root, requirements);
  const digest = createHash('sha256').update(readFileSync(file)).update(pythonVersion(what)).digest('hex');
  const name = what.toLowerCase().replaceAll(/\W+/g, '-');
  const home = path.join(runtime, `${name}-${digest.slice(0, 12)}`);
  if (existsSync(home)) return home;
  say(`fetching ${what} ...`);
  mkdirSync(runtime, { recursive: true });
  const folder = mkdtempSync(path.join(runtime, `${name}-`));
  try {
    const target = path.join(folder, 'packages');
    const options = ['--quiet', '--require-hashes', '--only-binary', ':all:', '--target', target];
    call(what, ['-m', 'pip', 'install', ...options, '--requirement', file]);
    // Appears only when complete: an interrupted fetch is repeated, and of two at the same time one wins.
    if (!existsSync(home)) renameSync(target, home);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return home;
}

/** Some of the wheels contain code for one version of Python only. */
function pythonVersion(what: string): string {
  return call(what, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
}

function call(what: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(PYTHON, args, { encoding: 'utf8', timeout: 600_000 });
  if (status === 0) return stdout;
  throw new PackagesMissing(`${what} cannot be installed: ${error?.message ?? (stderr + stdout).slice(-2_000)}`);
}
