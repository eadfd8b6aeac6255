import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from './installation.ts';

/** One kind of fault. Each place that runs code adds its own, such as its container engine. */
export interface Fault {
  readonly name: string;
  /** Weight relative to the others. */
  readonly weight: number;
  isPossible(installation: Installation): boolean;
  /** Breaks and mends it. Returns false when there was nothing to break. */
  happen(installation: Installation, random: () => number): Promise<boolean>;
}

const LONGEST_AWAY_MS = 1_500;

/** A process of the platform: the one with all roles, or that of one role. */
function processOf(name: string): Fault {
  return {
    name,
    weight: 8,
    isPossible: ({ platform }) => platform.has(name),
    async happen({ platform }) {
      await platform.kill(name);
      return true;
    },
  };
}

const processes = ['platform', 'api', 'gateway', 'worker'];

/** The process that owns the sandboxes. All of them end with it. */
const runner: Fault = {
  name: 'runner',
  weight: 1,
  isPossible: () => true,
  happen: ({ dataDir }) => Promise.resolve(killOne(runnersOf(dataDir), () => 0)),
};

/** A process of user code. */
const program: Fault = {
  name: 'program',
  weight: 4,
  isPossible: () => true,
  happen: ({ dataDir }, random) => Promise.resolve(killOne(runnersOf(dataDir).flatMap(below).filter(isPython), random)),
};

const database: Fault = {
  name: 'database',
  weight: 4,
  isPossible: ({ postgres }) => postgres !== null,
  async happen({ postgres, platform }, random) {
    if (!postgres) return false;
    await postgres.kill();
    await pause(random() * LONGEST_AWAY_MS);
    await postgres.revive();
    // It may just have been starting, and have given up.
    await platform.recover();
    return true;
  },
};

const disk: Fault = {
  name: 'disk',
  weight: 1,
  isPossible: ({ smallDisk }) => smallDisk !== null,
  async happen({ smallDisk, platform }, random) {
    if (smallDisk === null) return false;
    const file = path.join(smallDisk, 'all-that-is-left');
    fill(file);
    await pause(500 + random() * LONGEST_AWAY_MS);
    rmSync(file);
    await platform.recover();
    return true;
  },
};

/** Docker's daemon and its containerd. Their containers live on until the next daemon ends them. */
const engine: Fault = {
  name: 'engine',
  weight: 5,
  isPossible: ({ containers }) => containers !== null,
  async happen({ containers }, random) {
    if (containers === null) return false;
    await containers.engine.kill();
    await pause(random() * LONGEST_AWAY_MS);
    await containers.engine.revive();
    return true;
  },
};

const s3: Fault = {
  name: 's3',
  weight: 5,
  isPossible: (installation) => installation.s3 !== null,
  async happen(installation, random) {
    await installation.s3?.kill();
    await pause(random() * LONGEST_AWAY_MS);
    await installation.s3?.revive();
    // It may just have been starting, and have given up.
    await installation.platform.recover();
    return true;
  },
};

/** A part of a cluster, whose processes of user code go on. */
function partOf(name: string): Fault {
  return {
    name,
    weight: 3,
    isPossible: ({ cluster }) => cluster?.parts[name] !== undefined,
    async happen({ cluster }, random) {
      await cluster?.parts[name]?.(() => pause(random() * LONGEST_AWAY_MS));
      return true;
    },
  };
}

/** A pod that somebody deletes, a job that somebody cancels. */
const removal: Fault = {
  name: 'removal',
  weight: 3,
  isPossible: ({ cluster }) => cluster !== null,
  happen: async ({ cluster }, random) => (await cluster?.removeOne(random)) ?? false,
};

const partsOfClusters = [
  'apiserver',
  'kubelet',
  'controllers',
  'scheduler',
  'slurmctld',
  'slurmd',
  'slurmd-2',
  'slurmrestd',
];

const SHORTEST_STILL_MS = 1_000;

/** Suspends processes for a while, as on a machine that sleeps or whose disk does not answer. */
function stillOf(
  name: string,
  processesOf: (installation: Installation) => readonly number[],
  isPossible: Fault['isPossible'] = () => true,
): Fault {
  return {
    name: `still-${name}`,
    weight: 1,
    isPossible,
    async happen(installation, random) {
      const pids = processesOf(installation);
      // Mostly short.
      const longer = Math.max(0, installation.stillMs - SHORTEST_STILL_MS) * random() ** 2;
      const stopped = pids.filter((pid) => signal(pid, 'SIGSTOP'));
      await pause(SHORTEST_STILL_MS + longer);
      for (const pid of stopped) signal(pid, 'SIGCONT');
      await installation.platform.recover();
      return stopped.length > 0;
    },
  };
}

const stills: readonly Fault[] = [
  ...processes.map((name) => stillOf(name, ({ platform }) => platform.pids(name), processOf(name).isPossible)),
  stillOf('runner', ({ dataDir }) => runnersOf(dataDir)),
  stillOf(
    'database',
    // The first process comes last: it would take a suspended child for a hanging one.
    ({ postgres }) => (postgres ? [...below(postgres.pid), postgres.pid] : []),
    ({ postgres }) => postgres !== null,
  ),
];

export const faults: readonly Fault[] = [
  ...processes.map(processOf),
  runner,
  program,
  database,
  disk,
  engine,
  s3,
  removal,
  ...partsOfClusters.map(partOf),
  ...stills,
];

/** Takes the database away for some time. */
export async function longOutage({ postgres, platform }: Installation, milliseconds: number): Promise<void> {
  await postgres?.kill();
  await pause(milliseconds);
  await postgres?.revive();
  await platform.recover();
}

function fill(file: string): void {
  const part = Buffer.alloc(1024 * 1024);
  const descriptor = openSync(file, 'w');
  try {
    for (let size = part.length; size >= 4_096;) {
      try {
        if (writeSync(descriptor, part, 0, size) < size) size /= 2;
      } catch {
        size /= 2;
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

function killOne(pids: readonly number[], random: () => number): boolean {
  const pid = pids[Math.floor(random() * pids.length)];
  return pid !== undefined && signal(pid, 'SIGKILL');
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    // It has just ended by itself.
    return false;
  }
}

/** The runners of a data folder: one, or none while the next one starts. */
function runnersOf(dataDir: string): number[] {
  const folder = path.join(dataDir, 'runtime');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const command = textOf(`/proc/${name}/cmdline`);
      return command.includes('runner/main.ts') && command.includes(folder);
    })
    .map(Number);
}

function below(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...below(child)]);
}

function isPython(pid: number): boolean {
  return textOf(`/proc/${pid}/comm`).startsWith('python3');
}

/** Empty when the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
