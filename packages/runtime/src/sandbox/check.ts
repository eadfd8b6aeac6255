import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxCheck } from '../types.ts';
import { openCgroups } from './cgroups.ts';
import { PYTHON } from './root.ts';
import { seccompFilter } from './seccomp.ts';
import { takeUserRange } from './user-ranges.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';
/** Milliseconds for the trial. Beyond them the sandbox counts as unusable. */
const LONGEST_MS = 10_000;

/**
 * Checks whether user code can run safely on this machine, and otherwise names what is missing and the remedy. It makes
 * a real sandbox, with the user, the namespaces and the filter of an execution. Takes 50 ms.
 */
export async function checkSandbox(): Promise<SandboxCheck> {
  const missing = missingPart();
  if (missing !== null) return { usable: false, ...missing };
  const users = process.getuid?.() === 0 ? takeUserRange(null) : null;
  const answer = trySandbox(users?.first ?? null);
  users?.release();
  if (answer !== null) return { usable: false, reason: answer, remedy: remedyFor() };
  const cgroups = openCgroups(`check-${process.pid}`);
  if ('unavailable' in cgroups) return { usable: true, how: `bubblewrap, limits by RLIMITS (${cgroups.unavailable})` };
  await cgroups.remove();
  return { usable: true, how: `bubblewrap, limits by ${cgroups.kind}` };
}

const PROGRAM = `
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(os.getuid(), *(status[name].strip() for name in ("NoNewPrivs", "Seccomp", "CapEff")))
`;

/** Makes a sandbox. Returns null on success, otherwise the error message. */
function trySandbox(uid: number | null): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'kethub-check-'));
  try {
    writeFileSync(join(folder, 'filter'), seccompFilter(process.arch) ?? Buffer.alloc(0));
    const filter = openSync(join(folder, 'filter'), 'r');
    const options = [
      ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--unshare-net'],
      ['--disable-userns', '--uid', '1000', '--gid', '1000', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ['--ro-bind', '/', '/', '--proc', '/proc', '--tmpfs', '/tmp', '--seccomp', '3'],
    ].flat();
    const identity = uid === null ? {} : { uid, gid: uid };
    const { status, stdout, stderr, error } = spawnSync(
      BUBBLEWRAP,
      [...options, '--', PYTHON, '-I', '-S', '-c', PROGRAM],
      {
        ...identity,
        env: {},
        cwd: '/',
        encoding: 'utf8',
        timeout: LONGEST_MS,
        stdio: ['ignore', 'pipe', 'pipe', filter],
      },
    );
    closeSync(filter);
    if (status === 0 && stdout.trim() === '1000 1 2 0000000000000000') return null;
    return `A sandbox could not be made: ${error?.message ?? (stderr.trim() || `it answered ${JSON.stringify(stdout)}`)}.`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function missingPart(): { reason: string; remedy: string } | null {
  const packages = [...(existsSync(BUBBLEWRAP) ? [] : ['bubblewrap']), ...(existsSync(PYTHON) ? [] : ['python3'])];
  if (packages.length > 0) {
    return {
      reason: `${packages.join(' and ')} ${packages.length > 1 ? 'are' : 'is'} not installed.`,
      remedy: `apt-get install ${packages.join(' ')}`,
    };
  }
  if (process.platform !== 'linux' || seccompFilter(process.arch) === null) {
    return {
      reason: `The sandbox is not made for ${process.platform} on ${process.arch}.`,
      remedy: 'Use Linux on x64 or arm64.',
    };
  }
  return null;
}

/** Finds a remedy for a machine that has all the parts but cannot make a sandbox. The most likely cause comes first. */
function remedyFor(): string {
  if (setting('kernel.unprivileged_userns_clone') === '0') return 'sysctl kernel.unprivileged_userns_clone=1';
  if (setting('user.max_user_namespaces') === '0') return 'sysctl user.max_user_namespaces=15000';
  if (setting('kernel.apparmor_restrict_unprivileged_userns') === '1') {
    return 'Allow bubblewrap user namespaces: give it an AppArmor profile with `userns`, or sysctl kernel.apparmor_restrict_unprivileged_userns=0';
  }
  const tried = spawnSync('unshare', ['--user', '--map-root-user', '/bin/true'], { env: {}, encoding: 'utf8' });
  if (tried.status !== 0 && existsSync('/.dockerenv')) {
    return 'Start the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined.';
  }
  if (tried.status !== 0)
    return `User namespaces are not allowed here (${tried.stderr.trim()}). Allow them for the user of the platform.`;
  return 'Inside a container, start it with --security-opt systempaths=unconfined, so that a sandbox can have a /proc of its own.';
}

function setting(name: string): string | null {
  const path = `/proc/sys/${name.replaceAll('.', '/')}`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}
