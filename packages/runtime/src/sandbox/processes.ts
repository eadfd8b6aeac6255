import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../errors.ts';

const STOP_ATTEMPTS = 500;

/** Sends a signal. A process that is gone is no error. */
export function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** The start of a process, in clock ticks since the boot (proc_pid_stat(5)). Null when it is gone or a zombie. */
export function startOf(pid: number): string | null {
  const stat = readOf(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name, in parentheses, may hold anything. The state is the first field after it, the start time the twentieth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

/**
 * Stops processes by SIGSTOP where no cgroup can freeze them. It repeats, because a process may just have started
 * another one.
 * @param listed returns the processes that exist now.
 * @param wanted returns false when they shall continue after all.
 * @throws when some of them do not stop.
 */
export async function stopAll(listed: () => number[], wanted: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < STOP_ATTEMPTS; attempt++) {
    const moving = listed().filter((pid) => isMoving(pid));
    if (moving.length === 0) return;
    for (const pid of moving) signalQuietly(pid, 'SIGSTOP');
    await pause(Math.min(20, attempt));
    if (!wanted()) return;
  }
  throw new Error('some of its processes do not stop');
}

function isMoving(pid: number): boolean {
  const stat = readOf(`/proc/${pid}/stat`);
  return (
    stat !== null && !['T', 't', 'Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3))
  );
}

/** Processor time of a process so far, in milliseconds. 0 when it is gone. */
export function processorMs(pid: number): number {
  const stat = readOf(`/proc/${pid}/stat`) ?? '';
  // utime and stime, in ticks of 10 ms.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}

function readOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null;
    throw error;
  }
}
