import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Measurement } from '../lib/measurement.ts';
import { memoryMb } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';

const ROUNDS = 5;
const root = path.resolve(import.meta.dirname, '../..');

/** From `npm start` (set-up done, demo prepared) to ready, and the memory of all its processes then. */
export async function start(): Promise<Measurement[]> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));
  const seconds: number[] = [];
  const memory: number[] = [];
  try {
    await startOnce(dataDir, /SUCCEEDED/);
    for (let round = 0; round < ROUNDS; round++) {
      const measured = await startOnce(dataDir, /SUCCEEDED/);
      seconds.push(measured.ready / 1000);
      memory.push(measured.megabytes);
    }
  } finally {
    rmSync(dataDir, { recursive: true });
  }
  const how = `${ROUNDS} starts on the data of an earlier one, one after the other`;
  return [
    {
      name: 'From npm start to ready',
      unit: 's',
      value: median(seconds),
      goal: { atMost: 5 },
      how,
      rounds: { seconds },
    },
    {
      name: 'Memory when ready',
      unit: 'MB',
      value: median(memory),
      goal: { atMost: 300 },
      how: `${how}; proportional memory (PSS) of the platform and the runner with what it keeps; npm and the bootstrap, which only wait, not counted`,
      rounds: { memory },
    },
  ];
}

async function startOnce(dataDir: string, until: RegExp): Promise<{ ready: number; megabytes: number }> {
  const began = performance.now();
  const env = { ...process.env, KETHUB_DATA_DIR: dataDir, KETHUB_PORT: '0', KETHUB_GATEWAY_PORT: '0' };
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let ready = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('is ready')) ready = performance.now() - began;
    if (until.test(line)) break;
  }
  if (ready === 0 || child.pid === undefined) throw new Error('npm start ended before it was ready');
  const megabytes = processesOf(dataDir).reduce((sum, pid) => sum + memoryMb(pid), 0);
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  await ended;
  return { ready, megabytes };
}

/**
 * The processes of this data folder: the platform, the runner and its warm workers. npm and the bootstrap only wait,
 * and are left out.
 */
function processesOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && belongs(pid, dataDir));
}

function belongs(pid: number, dataDir: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return !/npm|bootstrap\.cjs/.test(command) && (environment.includes(dataDir) || command.includes(dataDir));
  } catch {
    // It ended meanwhile.
    return false;
  }
}
