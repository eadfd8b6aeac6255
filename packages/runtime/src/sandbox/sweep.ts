import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { signalQuietly } from './processes.ts';

/** Milliseconds. Sandboxes that still live after them are left alone. */
const SWEEP_MS = 5_000;

/**
 * Kills sandboxes that outlived their runner. A runner that dies while bubblewrap sets up leaves a half-made sandbox in
 * no cgroup. Such sandboxes are found by `mark`, which occurs in their mounts.
 */
export async function sweepSandboxes(mark: string): Promise<void> {
  const deadline = performance.now() + SWEEP_MS;
  for (let left = sandboxesWith(mark); left.length > 0 && performance.now() < deadline; left = sandboxesWith(mark)) {
    for (const pid of left) signalQuietly(pid, 'SIGKILL');
    await pause(2);
  }
}

function sandboxesWith(mark: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => read(`/proc/${pid}/comm`) === 'bwrap\n' && read(`/proc/${pid}/mountinfo`).includes(mark))
    .map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    // The process has ended, is a zombie, or belongs to another user.
    if (['ENOENT', 'ESRCH', 'EINVAL', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}
