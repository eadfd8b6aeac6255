import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

const PYTHON = '/usr/bin/python3';
const REQUIREMENTS = path.join(root, 'test/fuzz/requirements.txt');

/** Schemathesis cannot be installed here. The message is the reason. */
export class SchemathesisMissing extends Error {}

/**
 * The folder with Schemathesis and its dependencies, for PYTHONPATH. It is installed once into .runtime/ from wheels
 * whose SHA-256 is pinned. Throws SchemathesisMissing.
 */
export function fetchSchemathesis(say: (line: string) => void): string {
  const runtime = path.join(root, '.runtime');
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).update(pythonVersion()).digest('hex');
  const home = path.join(runtime, `schemathesis-${digest.slice(0, 12)}`);
  if (existsSync(home)) return home;
  say('fetching Schemathesis ...');
  mkdirSync(runtime, { recursive: true });
  const folder = mkdtempSync(path.join(runtime, 'schemathesis-'));
  try {
    const target = path.join(folder, 'packages');
    const options = ['--quiet', '--require-hashes', '--only-binary', ':all:', '--target', target];
    call(['-m', 'pip', 'install', ...options, '--requirement', REQUIREMENTS]);
    // Appears only when complete: an interrupted fetch is repeated, and of two at the same time one wins.
    if (!existsSync(home)) renameSync(target, home);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return home;
}

/** Some of the wheels contain code for one version of Python only. */
function pythonVersion(): string {
  return call(['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
}

function call(args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(PYTHON, args, { encoding: 'utf8', timeout: 600_000 });
  if (status === 0) return stdout;
  throw new SchemathesisMissing(
    `Schemathesis cannot be installed: ${error?.message ?? (stderr + stdout).slice(-2_000)}`,
  );
}
