import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import { connectRuntime } from '../client/connect.ts';
import type { SandboxCheck } from '../types.ts';
import { PYTHON } from './root.ts';
import { seccompFilter } from './seccomp.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';
const MiB = 1024 * 1024;

/**
 * Whether user code can be run safely on this machine, and otherwise what is missing and how to get it. Nothing is assumed:
 * a runner is started on a folder of its own, and a program in its sandbox. Takes about half a second.
 */
export async function checkSandbox(): Promise<SandboxCheck> {
  const missing = missingPart();
  if (missing !== null) return { usable: false, ...missing };
  const dataDir = mkdtempSync(join(tmpdir(), 'kethub-check-'));
  try {
    const runtime = await connectRuntime({ dataDir, warmBytes: 0, lonelyMs: 1_000 });
    try {
      const { limitedBy } = await runtime.status();
      const outcome = await runtime.sandboxed({
        command: [
          PYTHON,
          '-I',
          '-S',
          '-c',
          'import os, json; print(os.getuid(), open("/proc/self/status").read().count("NoNewPrivs:\\t1"))',
        ],
        binds: [],
        environment: {},
        network: 'NONE',
        limits: {
          memoryBytes: 128 * MiB,
          cpus: 1,
          processes: 16,
          runTimeMs: 10_000,
          tmpBytes: MiB,
          fileBytes: MiB,
          logBytes: MiB,
        },
      });
      if (outcome.stdout.trim() === '1000 1') return { usable: true, how: `bubblewrap, limits by ${limitedBy}` };
      return unusable(
        `A program in the sandbox answered ${JSON.stringify(outcome.stdout)} (${outcome.cause?.detail ?? outcome.exitCode}).`,
      );
    } finally {
      await runtime.close();
    }
  } catch (error) {
    return unusable(messageOf(error));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
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

function unusable(reason: string): SandboxCheck {
  return { usable: false, reason, remedy: remedyFor() };
}

/** What keeps a sandbox from being made on machines that have all the parts, most likely first. */
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
