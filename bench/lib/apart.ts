import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Measurement } from './measurement.ts';

/**
 * Takes one measurement in a process of its own, which ends with everything that it has started. Null when it failed;
 * that process has reported why.
 */
export async function measuredApart(name: string): Promise<Measurement[] | null> {
  const child = fork(path.join(import.meta.dirname, 'one.ts'), [name]);
  let measured: Measurement[] | null = null;
  child.on('message', (sent) => (measured = sent as Measurement[]));
  // `close` comes after the last message; `exit` may come before it.
  const [status] = (await once(child, 'close')) as [number | null];
  return status === 0 ? measured : null;
}
