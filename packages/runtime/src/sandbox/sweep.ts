import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import { signalQuietly } from './processes.ts';

const PATIENCE_MS = 5_000;

/**
 * Ends sandboxes that outlived their runner: one that was killed while bubblewrap was still setting up leaves a half-made
 * sandbox in no cgroup. They are known by their mounts, in which `mark` occurs.
 */
export async function sweepSandboxes(mark: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
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
    // It has ended meanwhile, is a zombie, or belongs to somebody else.
    if (['ENOENT', 'ESRCH', 'EINVAL', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}
