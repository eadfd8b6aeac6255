import { once } from 'node:events';

/** A server lives as long as the process that started it wants. */
export async function untilInputEnds(): Promise<void> {
  process.stdin.resume();
  await once(process.stdin, 'end');
}
