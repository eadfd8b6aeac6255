import { once } from 'node:events';

/** Ends the server when the process that started it closes its standard input. */
export async function untilInputEnds(): Promise<void> {
  process.stdin.resume();
  await once(process.stdin, 'end');
}
