import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import type { Tool } from './system-tools.ts';

/** PostgreSQL's own programs; Debian keeps them out of the PATH. */
function binaries(): string | null {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => path.join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(path.join(folder, 'initdb'))) ?? null;
}

export const postgresTool: Tool = { what: 'PostgreSQL', package: 'postgresql', isThere: () => binaries() !== null };

export interface Postgres {
  /** Address of a server on which databases can be created. */
  readonly url: string;
  /** Kills it without warning, as a crash of its machine would. */
  kill(): Promise<void>;
  /** Process id of the first process; all others are its children. */
  readonly pid: number;
  /** Starts it again after that, on the same data. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Syncs to disk, for measurements. Tests do without; their data are in memory where it has room. */
  readonly durable: boolean;
  /** One more address of this machine, for whoever reaches it from a container. */
  readonly also?: string;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Takes a line for the person who started it. */
  readonly say?: (line: string) => void;
}

/** Starts a PostgreSQL of its own in a temporary folder, on loopback. */
export async function startPostgres({ durable, also, settings: further, say }: PostgresOptions): Promise<Postgres> {
  const programs = binaries();
  if (programs === null) throw new Error('PostgreSQL is not installed');
  for (const parent of [os.tmpdir(), IN_MEMORY]) removeAbandoned(parent);
  const folder = mkdtempSync(path.join(durable ? os.tmpdir() : folderInMemory(say), `${NAME}${process.pid}-`));
  const user = unprivileged();
  if (user) chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, 'data');
  const made = spawnSync(
    path.join(programs, 'initdb'),
    ['-D', data, '-U', 'kethub', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...user, cwd: '/', encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.stdout}`);
  if (also !== undefined) appendFileSync(path.join(data, 'pg_hba.conf'), 'host all all 10.0.0.0/8 trust\n');
  const port = await freePort();
  const settings = {
    listen_addresses: ['127.0.0.1', ...(also === undefined ? [] : [also])].join(','),
    port,
    unix_socket_directories: folder,
    max_connections: 200,
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', max_wal_size: '256MB' }),
    ...further,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = async (): Promise<ChildProcess> => {
    const started = spawn(path.join(programs, 'postgres'), ['-D', data, ...options], {
      ...user,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await ready(started);
    return started;
  };
  let server = await start();
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  return {
    url: `postgres://kethub@127.0.0.1:${port}/postgres`,
    kill: () => end('SIGKILL'),
    get pid() {
      return server.pid ?? 0;
    },
    async revive() {
      for (let attempt = 1; ; attempt++) {
        try {
          server = await start();
          return;
        } catch (error) {
          // Processes of the killed server are still ending, and hold its memory.
          if (attempt === 50) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
    async stop() {
      // Fast shutdown: connections end, committed data is kept.
      await end('SIGINT');
      rmSync(folder, { recursive: true });
    },
  };
}

/** Beginning of the name of a folder. The id of the process that made it follows. */
const NAME = 'kethub-postgres-';
const IN_MEMORY = '/dev/shm';
/** Bytes that must be free for data in memory. The databases of a test run take less than 1 GB at a time. */
const FREE_MEMORY = 4 * 2 ** 30;

/**
 * A folder in memory, or that of temporary files. A database is some hundred small files: a disk takes several times
 * longer to copy one.
 */
function folderInMemory(say?: (line: string) => void): string {
  const free = existsSync(IN_MEMORY) ? statfsSync(IN_MEMORY) : { bavail: 0, bsize: 0 };
  const bytes = Math.min(free.bavail * free.bsize, process.availableMemory());
  if (bytes >= FREE_MEMORY) return IN_MEMORY;
  const [has, needs] = [bytes, FREE_MEMORY].map((one) => `${Math.floor(one / 2 ** 20)} MB`);
  say?.(
    `${IN_MEMORY} has room for ${has} of ${needs}, so PostgreSQL keeps its data in ${os.tmpdir()}, which is slower.`,
  );
  return os.tmpdir();
}

/** Ends and removes each PostgreSQL whose run was killed: it would keep its data in memory until the machine starts again. */
function removeAbandoned(parent: string): void {
  const names = existsSync(parent) ? readdirSync(parent).filter((name) => name.startsWith(NAME)) : [];
  for (const name of names) {
    const owner = /^(\d+)-/.exec(name.slice(NAME.length))?.[1];
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue;
    const folder = path.join(parent, name);
    try {
      const pid = Number(readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
      // The id may belong to another process by now.
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)) process.kill(pid, 'SIGQUIT');
    } catch {
      // It has ended.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** PostgreSQL refuses to run as root; its package brings a user. */
function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (option: string): number => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

async function ready(server: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      // Reads all output, because a full pipe would block the server, but keeps it only until it is ready.
      if (said.length < 20_000) said += chunk.toString();
      if (said.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL ended before it was ready: ${said}`)));
    server.once('error', reject);
  });
}
