import { readFileSync, readdirSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Usage of processes, as the kernel accounts for each of them. */
export interface Usage {
  readonly cpuMs: number;
  /** Peak of the largest process. */
  readonly peakMemoryBytes: number;
}

/** Bytes kept of the report. A line has at most 40; further bytes are ignored. */
const REPORT_BYTES = 256;
/** Linux reports 100 ticks a second to user space, whatever its own clock rate. */
const TICK_MS = 10;

/**
 * Reads the report that the parent of a program writes at its end. Returns a function for the usage that is known so
 * far.
 */
export function readUsage(stream: Readable): () => Usage | null {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    if (text.length < REPORT_BYTES) text += chunk.toString('latin1');
  });
  stream.on('error', () => {
    stream.destroy();
  });
  return () => {
    const [, cpuMs, peakMemoryBytes] = /^(\d{1,12}) (\d{1,15})\n/.exec(text) ?? [];
    return cpuMs === undefined ? null : { cpuMs: Number(cpuMs), peakMemoryBytes: Number(peakMemoryBytes) };
  };
}

/**
 * Reads the usage of all processes below `pid` so far. Call it before they are killed: afterwards nothing reports it.
 */
export function usageBelow(pid: number): Usage {
  let ticks = 0;
  let peakMemoryBytes = 0;
  for (const below of descendantsOf(pid)) {
    const stat = textOf(`/proc/${below}/stat`);
    // utime, stime, and the same of children that were waited for: fields 14 to 17 of proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const field of fields.slice(11, 15)) ticks += Number(field);
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(textOf(`/proc/${below}/status`))?.[1];
    peakMemoryBytes = Math.max(peakMemoryBytes, Number(peak ?? 0) * 1024);
  }
  return { cpuMs: ticks * TICK_MS, peakMemoryBytes };
}

/** Resident memory of all processes below `pid`, or null when that process is gone. */
export function residentBytesBelow(pid: number): number | null {
  if (textOf(`/proc/${pid}/statm`) === '') return null;
  const pages = descendantsOf(pid).map((below) => Number(textOf(`/proc/${below}/statm`).split(' ')[1] ?? 0));
  return pages.reduce((sum, one) => sum + one, 0) * 4096;
}

/** All processes below `pid`. */
export function descendantsOf(pid: number): number[] {
  // Each thread lists the children that it has started.
  const children = threadsOf(pid).flatMap((thread) =>
    textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Empty when the process is gone. */
export function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty when the process is gone. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
