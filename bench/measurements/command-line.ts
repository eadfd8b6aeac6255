import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';
import { bundle } from '../../script/package/bundle.ts';

const ROUNDS = 15;

/** Processor time of `ket --version`, from the bundle that people install, beyond 1.2 times that of an empty Node. */
export async function commandLine(): Promise<Measurement[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  const empty: number[] = [];
  const ket: number[] = [];
  try {
    await bundle(folder);
    const program = path.join(folder, 'bin/ket.js');
    // The first start fills the cache of compiled code.
    processorMs([program, '--version']);
    for (let round = 0; round < ROUNDS; round++) {
      empty.push(processorMs(['-e', '0']));
      ket.push(processorMs([program, '--version']));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return [
    {
      name: 'Start of ket --version, beyond 1.2 times that of an empty Node',
      unit: 'ms of processor time',
      value: median(ket) - 1.2 * median(empty),
      goal: { atMost: 100 },
      how: `${ROUNDS} starts of each in turn, user and system time of the process`,
      rounds: { ket, empty },
    },
  ];
}

/** Runs Node to its end. The shell's own time is not in the report of `time`. */
function processorMs(args: readonly string[]): number {
  const timed = ['-c', 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null', process.execPath, ...args];
  const { stderr, status } = spawnSync('bash', timed, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const [user, system] = stderr.trim().split(' ').map(Number);
  if (status !== 0 || user === undefined || system === undefined) throw new Error(`Node ended with ${stderr}`);
  return 1000 * (user + system);
}
