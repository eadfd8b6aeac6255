import type { Platform } from '../platform.ts';

/** The id under which this process claims work. */
export function requireWorkerId({ workerId }: Platform): string {
  if (workerId === null) throw new Error('Only a process with the role worker takes work');
  return workerId;
}
