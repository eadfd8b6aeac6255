import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlatformClient, type PlatformClient } from '@kethub/client';
import { Stopwatch } from '../lib/latency.ts';
import type { Measurement } from '../lib/measurement.ts';
import { machineSeconds, memoryMb, startServer, type Server } from '../lib/process.ts';
import { folders, git, makeRepository, pathOf, repositories, type RepositoryName } from '../lib/repositories.ts';
import { median, percentile } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 3;
const READS = 400;
/** Clones at once while the memory of the platform is watched. */
const AT_ONCE = 4;
const WATCH_MS = 50;
/** The upkeep of repositories begins every minute. */
const CARE_MS = 1_000;
/** All processors: client and server share them. */
const CORES = '0-1';

/** Ways to the same repository. `local` is a path, without HTTP and without hard links. */
const WAYS = ['platform', 'backend', 'local'] as const;
type Way = (typeof WAYS)[number];
type Transfer = 'push' | 'clone';

interface Cost {
  readonly seconds: number;
  /** Processor time of the whole machine. */
  readonly processor: number;
}

type Costs = Record<RepositoryName, Record<Transfer, Record<Way, Cost[]>>>;

/** Clones and pushes against `git http-backend` and a local path, the memory meanwhile, and reads over HTTP. */
export async function gitTransfers(): Promise<Measurement[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-git-'));
  const opened: (() => Promise<void>)[] = [];
  try {
    const served = path.join(folder, 'served');
    mkdirSync(served);
    const backend = await startServer<{ url: string }>('servers/git-backend.ts', { folder: served }, CORES);
    opened.push(() => backend.stop());
    const settings = { KETHUB_PUSH_MB: '1024', KETHUB_OWNER_REPOSITORIES_MB: '100000' };
    const question: Question = { settings, services: {} };
    const platform = await startServer<PlatformReady>('servers/platform.ts', question, CORES);
    opened.push(() => platform.stop());
    const bench = await GitBench.open(folder, served, backend.ready.url, platform);
    const costs: Costs = { large: none(), many: none() };
    const memory: number[] = [];
    for (const name of ['many', 'large'] as const) {
      const source = await makeRepository(folder, name);
      for (let round = 0; round < ROUNDS; round++) await bench.round(name, source, round, costs[name]);
      memory.push(await bench.memoryOfClones(name));
    }
    const reads = await bench.reads();
    return [...transfers(costs), growth(memory), ...latencies(reads)];
  } finally {
    for (const close of opened.toReversed()) await close();
    rmSync(folder, { recursive: true });
  }
}

function none(): Record<Transfer, Record<Way, Cost[]>> {
  return { push: { platform: [], backend: [], local: [] }, clone: { platform: [], backend: [], local: [] } };
}

class GitBench {
  readonly #folder: string;
  readonly #served: string;
  readonly #backend: string;
  readonly #platform: Server<PlatformReady>;
  readonly #client: PlatformClient;
  readonly #token: string;
  /** The last repository of each name on the platform. */
  readonly #made = new Map<RepositoryName, { readonly id: string; readonly url: string }>();

  private constructor(
    folder: string,
    served: string,
    backend: string,
    platform: Server<PlatformReady>,
    client: PlatformClient,
    token: string,
  ) {
    this.#folder = folder;
    this.#served = served;
    this.#backend = backend;
    this.#platform = platform;
    this.#client = client;
    this.#token = token;
  }

  static async open(folder: string, served: string, backend: string, platform: Server<PlatformReady>) {
    const { api, loginSession } = platform.ready;
    const client = createPlatformClient({ baseUrl: api, credential: { loginSession } });
    const { defaultToken } = await client.listAccessTokens();
    return new GitBench(folder, served, backend, platform, client, defaultToken);
  }

  /** A push into a new repository and a clone of it, on each way. The order of the ways changes with the round. */
  async round(name: RepositoryName, source: string, round: number, costs: Record<Transfer, Record<Way, Cost[]>>) {
    for (const [index] of WAYS.entries()) {
      const way = WAYS[(index + round) % WAYS.length] ?? 'local';
      const url = await this.#target(name, way, round);
      costs.push[way].push(await costOf(() => git(source, 'push', '--quiet', url, 'main')));
      if (way === 'platform') await this.#cared(name);
      const clone = path.join(this.#folder, 'clone');
      const local = way === 'local' ? ['--no-local'] : [];
      const args = ['clone', '--quiet', '--bare', ...local, url, clone];
      costs.clone[way].push(await costOf(() => git(this.#folder, ...args)));
      rmSync(clone, { recursive: true });
    }
  }

  /** Makes an empty repository. Returns its address. */
  async #target(name: RepositoryName, way: Way, round: number): Promise<string> {
    if (way === 'platform') {
      const { id, cloneUrl } = await this.#client.createImplementation({ json: { name: `${name}-${round}` } });
      const url = cloneUrl.replace('://', `://bench:${this.#token}@`).replace('localhost', '127.0.0.1');
      this.#made.set(name, { id, url });
      return url;
    }
    const folder = path.join(way === 'local' ? this.#folder : this.#served, `${name}-${way}-${round}.git`);
    await git(this.#folder, 'init', '--quiet', '--bare', '--initial-branch=main', folder);
    return way === 'local' ? folder : `${this.#backend}/${path.basename(folder)}`;
  }

  /** Waits until the upkeep has packed a repository, so that none of its work falls into a transfer. */
  async #cared(name: RepositoryName): Promise<void> {
    const { id } = this.#repository(name);
    const objects = path.join(this.#platform.ready.dataDir, 'repositories', id.slice(-2), `${id}.git`, 'objects');
    const isThere = (folder: string, end: string): boolean =>
      readdirSync(path.join(objects, folder)).some((file) => file.endsWith(end));
    while (!isThere('pack', '.bitmap') || !isThere('info', 'commit-graph')) await pause(CARE_MS);
    await pause(CARE_MS);
  }

  /** Megabytes by which the platform grows at most while several clients clone at once. */
  async memoryOfClones(name: RepositoryName): Promise<number> {
    const { url } = this.#repository(name);
    const before = memoryMb(this.#platform.pid);
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, memoryMb(this.#platform.pid))), WATCH_MS);
    const clones = Array.from({ length: AT_ONCE }, (_, number) => path.join(this.#folder, `clone-${number}`));
    try {
      await Promise.all(clones.map((clone) => git(this.#folder, 'clone', '--quiet', '--bare', url, clone)));
    } finally {
      clearInterval(watch);
    }
    for (const clone of clones) rmSync(clone, { recursive: true });
    return most - before;
  }

  /** Milliseconds of reads in the repository with many files, of each kind in rounds. */
  async reads(): Promise<Record<'tree' | 'file', number[][]>> {
    const { api, loginSession } = this.#platform.ready;
    const { id } = this.#repository('many');
    const headers = { authorization: `Bearer ${loginSession}` };
    const watch = new Stopwatch(api);
    const times = { tree: [] as number[][], file: [] as number[][] };
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const ofRound = { tree: [] as number[], file: [] as number[] };
        for (let read = 0; read < READS; read++) {
          const number = (round * READS + read) * 7_919;
          const paths = { tree: folders[number % folders.length], file: pathOf(number) };
          for (const kind of ['tree', 'file'] as const) {
            const at = `/-/implementations/${id}/${kind}?path=${encodeURIComponent(paths[kind] ?? '')}`;
            ofRound[kind].push(await watch.time({ method: 'GET', path: at, headers }));
          }
        }
        times.tree.push(ofRound.tree);
        times.file.push(ofRound.file);
      }
    } finally {
      watch.close();
    }
    return times;
  }

  #repository(name: RepositoryName): { readonly id: string; readonly url: string } {
    const made = this.#made.get(name);
    if (!made) throw new Error(`There is no repository ${name} on the platform`);
    return made;
  }
}

async function costOf(transfer: () => Promise<void>): Promise<Cost> {
  const [began, processor] = [performance.now(), machineSeconds()];
  await transfer();
  return { seconds: (performance.now() - began) / 1000, processor: machineSeconds() - processor };
}

const TRANSFERS = { push: 'Push', clone: 'Clone' } as const;
const SIZES = { large: '500 MB', many: '5,000 commits' } as const;

function transfers(costs: Costs): Measurement[] {
  return (['large', 'many'] as const).flatMap((name) =>
    (['push', 'clone'] as const).flatMap((transfer) => {
      const of = costs[name][transfer];
      const how = `${repositories[name]}; a real Git on the same two cores; median of ${ROUNDS} rounds, the ways in turn; processor is that of the whole machine with the client; the local path without hard links; the clone from the platform follows its upkeep; platform and http-backend check every object that is pushed (receive.fsckObjects), the local path does not`;
      const measure = (what: string, unit: string, cost: (one: Cost) => number): Measurement[] => {
        const rounds = Object.fromEntries(WAYS.map((way) => [way, of[way].map(cost)]));
        const value = median(of.platform.map(cost));
        const label = `${TRANSFERS[transfer]} of ${SIZES[name]}, ${what}`;
        const ratio = (way: Way) => value / median(of[way].map(cost));
        return [
          { name: label, unit, value, goal: null, how, rounds },
          {
            name: `${label}, against git http-backend`,
            unit: '×',
            value: ratio('backend'),
            goal: { atMost: 1.25 },
            how,
            rounds,
          },
          { name: `${label}, against a local path`, unit: '×', value: ratio('local'), goal: null, how, rounds },
        ];
      };
      return [
        ...measure('time', 's', ({ seconds }) => seconds),
        ...measure('processor', 's', ({ processor }) => processor),
      ];
    }),
  );
}

function growth(memory: readonly number[]): Measurement {
  return {
    name: `Memory that ${AT_ONCE} clones at once add to the platform`,
    unit: 'MB',
    value: Math.max(...memory),
    goal: { atMost: 96 },
    how: `proportional memory (PSS) of the process of the platform, without those of Git, every ${WATCH_MS} ms; the larger one of ${repositories.many} and ${repositories.large}`,
    rounds: { growth: memory },
  };
}

function latencies(times: Record<'tree' | 'file', number[][]>): Measurement[] {
  const how = `over HTTP, in a repository of ${repositories.many}; one request after the other, ${READS} of each kind in a round, another folder or file each time; median of ${ROUNDS} rounds`;
  return (['tree', 'file'] as const).flatMap((kind) =>
    [0.5, 0.99].map((share) => {
      const of = `p${share * 100}`;
      const rounds = times[kind].map((round) => percentile(round, share));
      const name = `Read of a ${kind === 'tree' ? 'folder of 100 files' : 'file'} in a repository, ${of}`;
      const goal = share === 0.99 ? { atMost: 20 } : null;
      return { name, unit: 'ms', value: median(rounds), goal, how, rounds: { [of]: rounds } };
    }),
  );
}
