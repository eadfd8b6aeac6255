import { readFileSync } from 'node:fs';
import { errorCode } from '../errors.ts';

/** Sends a signal; that the process is gone already is no error. */
export function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** When a process began, in clock ticks since the boot (proc_pid_stat(5)), or null when there is none or only its zombie. */
export function startOf(pid: number): string | null {
  const stat = readOf(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The name, in parentheses, may hold anything; state is the first field behind it and the start the twentieth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

function readOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null;
    throw error;
  }
}
