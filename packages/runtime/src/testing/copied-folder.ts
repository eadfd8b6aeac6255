import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';

/** Copies the key and the records of a data folder into another one, before its runner begins. Sockets cannot be copied. */
export function copyOf({ dataDir }: Bench): (to: string) => void {
  return (to) => {
    for (const part of ['installation.key', 'executions'])
      cpSync(join(dataDir, 'runtime', part), join(to, 'runtime', part), { recursive: true, preserveTimestamps: true });
  };
}
