import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface Server<T> {
  /** The line of JSON with which the process reported that it is ready. */
  readonly ready: T;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a server of this folder on these cores of the machine, with the flags of Node that `npm start` uses. It ends when
 * its standard input is closed.
 */
export async function startServer<T>(
  entry: string,
  argument: unknown,
  core: number | string,
  flags: readonly string[] = [],
): Promise<Server<T>> {
  const file = path.resolve(import.meta.dirname, '..', entry);
  const node = [process.execPath, ...process.execArgv, ...flags, file, JSON.stringify(argument)];
  const child = spawn('taskset', ['-c', String(core), ...node], { stdio: ['pipe', 'pipe', 'inherit'] });
  const line = await firstLine(child);
  return {
    // The servers beside this file write the output that their callers expect.
    ready: JSON.parse(line) as T,
    pid: child.pid ?? -1,
    async stop() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('No standard output');
  const lines = createInterface(child.stdout);
  return new Promise((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it was ready`)));
    child.once('error', reject);
  });
}

/** Proportional memory (PSS) of a process in MB. A page that several processes share counts for each in part. */
export function memoryMb(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** The same of a process that may have ended meanwhile: 0 then. */
export function memoryOf(pid: number): number {
  try {
    return memoryMb(pid);
  } catch {
    return 0;
  }
}

/** A process and all that it has started. */
export function treeOf(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

/** The content of a file of /proc; empty for a process that has ended. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Processor time of the whole machine so far, in seconds. It includes the kernel's work after a process has ended
 * (proc(5)).
 */
export function machineSeconds(): number {
  const [, user, nice, system, , , irq, softirq] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(
    / +/,
  );
  // Ticks. Linux reports 100 a second to user space.
  return [user, nice, system, irq, softirq].reduce((sum, one) => sum + Number(one), 0) / 100;
}
