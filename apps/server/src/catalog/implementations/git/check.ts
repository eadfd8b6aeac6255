import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../../../foundation/config/index.ts';
import { sandboxCommand } from './sandbox.ts';

/** The oldest Git that serves repositories. Earlier ones have known holes. */
const OLDEST = [2, 39, 4] as const;
const LONGEST_MS = 10_000;

/** Throws Refusal unless this machine has a Git that can serve repositories. */
export function requireGit(): void {
  const { stdout, status } = spawnSync('git', ['--version'], { encoding: 'utf8', timeout: LONGEST_MS });
  const needed = `The role git needs Git ${OLDEST.join('.')} or later`;
  const remedy = 'Install it (apt-get install git), or leave the role out: KETHUB_ROLES=api,gateway,worker.';
  if (status !== 0) throw new Refusal(`${needed}, and there is none. ${remedy}`);
  if (!isRecent(stdout)) throw new Refusal(`${needed}; this is ${stdout.trim()}. ${remedy}`);
}

/** Returns whether a line such as `git version 2.39.5` names a version that is new enough. */
export function isRecent(line: string): boolean {
  const found = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(line)?.slice(1).map(Number);
  if (!found) return false;
  const [different = 2] = OLDEST.flatMap((least, index) => ((found[index] || 0) === least ? [] : [index]));
  return (found[different] || 0) >= (OLDEST[different] ?? 0);
}

let isSandboxed = false;

/** Returns whether Git can run in a sandbox on this machine. Tries it until it can, which takes 50 ms. */
export function canSandbox(): boolean {
  return (isSandboxed ||= trySandbox());
}

function trySandbox(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-git-'));
  try {
    const [program, ...options] = sandboxCommand(folder, folder, 'READ');
    return (
      spawnSync(program, [...options, 'git', '--version'], { timeout: LONGEST_MS, env: {}, stdio: 'ignore' }).status ===
      0
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
