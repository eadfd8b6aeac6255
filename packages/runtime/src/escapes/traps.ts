import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Facts given to hostile programs, as if an insider had helped them. */
export interface Hints {
  paths: string[];
  pids: number[];
  addresses: string[];
  port: number;
  sockets: string[];
  engines: string[];
  abstract: string;
  mark: string;
  [more: string]: unknown;
}

/** Things of this machine that must not be reached: files, sockets, a process with a secret environment. */
export interface Traps {
  /** A text in every trap. Nothing that comes out of an execution may contain it. */
  readonly secret: string;
  /** The name that hostile processes give themselves. */
  readonly mark: string;
  readonly folder: string;
  readonly hints: Hints;
  /** Returns, in words, which traps have been touched since the last call. */
  sprung(): string[];
  close(): Promise<void>;
}

const CLOCK_TOLERANCE_MS = 3_600_000;
/** Set in the environment of this process, which plays the platform, before it starts any other. */
const SECRET = `kept-${randomBytes(12).toString('hex')}`;
process.env['ESCAPE_TRAP'] = SECRET;

export async function layTraps(folders: readonly string[]): Promise<Traps> {
  const secret = SECRET;
  const mark = `esc-${randomBytes(4).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), 'kethub-escapes-'));
  chmodSync(folder, 0o755);
  const paths = [folder, ...folders].map((parent) => join(parent, `${mark}.txt`));
  for (const path of paths) writeFileSync(path, secret, { mode: 0o644 });
  const hits: string[] = [];
  const servers = await listen(secret, hits, join(folder, 'trap.sock'), mark);
  const before = machine();
  const decoy = spawn('/bin/sleep', ['3600'], { env: { DECOY: secret }, stdio: 'ignore', cwd: folder });
  const hints: Hints = {
    paths,
    pids: [decoy.pid ?? -1],
    addresses: Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
    port: servers.port,
    sockets: [join(folder, 'trap.sock')],
    engines: [],
    abstract: mark,
    mark,
  };
  return {
    secret,
    mark,
    folder,
    hints,
    sprung() {
      const found = hits.splice(0);
      if (!isWell(decoy)) found.push('a process of the machine was signalled');
      for (const path of paths) if (readFileSync(path, 'utf8') !== secret) found.push(`${path} was written`);
      const left = processesCalled(mark);
      if (left.length > 0) found.push(`${left.length} of its processes live on`);
      for (const [what, value] of Object.entries(machine())) {
        const was = before[what as keyof typeof before];
        const same = typeof value === 'number' ? Math.abs(value - Number(was)) < CLOCK_TOLERANCE_MS : value === was;
        if (!same) found.push(`${what} of the machine has changed`);
      }
      return found;
    },
    async close() {
      decoy.kill('SIGKILL');
      await servers.close();
      for (const path of [...paths, folder]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Settings of the whole machine that a program could change. */
function machine(): { clock: number; name: string; cores: string; module: string } {
  return {
    clock: performance.timeOrigin - (Date.now() - performance.now()),
    name: hostname(),
    cores: readFileSync('/proc/sys/kernel/core_pattern', 'utf8'),
    module: readFileSync('/proc/sys/kernel/hostname', 'utf8'),
  };
}

function isWell({ pid }: ChildProcess): boolean {
  try {
    return /\) [SR] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // it is gone
  }
}

function processesCalled(name: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/comm`, 'latin1').trim() === name;
    } catch {
      return false; // it ended meanwhile
    }
  });
}

/**
 * Listens on TCP and UDP at all addresses, at a socket file open to everybody, and at an abstract socket. Each
 * connection is recorded and answered with the secret.
 */
async function listen(
  secret: string,
  hits: string[],
  path: string,
  abstract: string,
): Promise<{ port: number; close: () => Promise<void> }> {
  const serve = async (what: string, where: string | { port: number; host: string }): Promise<Server> => {
    const server = createServer((socket) => {
      hits.push(`${what} was connected to`);
      socket.on('error', () => undefined);
      socket.end(secret);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      if (typeof where === 'string') server.listen(where, resolve);
      else server.listen(where.port, where.host, resolve);
    });
    return server;
  };
  const tcp = await serve('a TCP port of the machine', { port: 0, host: '0.0.0.0' });
  const address = tcp.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const servers = [tcp, await serve('a socket file', path), await serve('an abstract socket', `\0${abstract}`)];
  chmodSync(path, 0o777);
  const udp: UdpSocket = createSocket('udp4', () => hits.push('a UDP port of the machine was reached'));
  await new Promise<void>((resolve) => {
    udp.bind(port, resolve);
  });
  return {
    port,
    async close() {
      udp.close();
      await Promise.all(servers.map(async (server) => promisify(server.close.bind(server))()));
    },
  };
}
