import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tool } from './system-tools.ts';

/** The helper that Kethub puts into containers and pods. Images of tests are made of it as well. */
export const busyboxTool: Tool = { what: 'a static busybox', package: 'busybox-static', isThere: isStaticBusybox };

/** Docker's daemon, the programs with which it runs containers, and the helper. */
export const containerTools: readonly Tool[] = [
  { what: 'Docker', package: 'docker.io', isThere: () => existsSync('/usr/sbin/dockerd') },
  busyboxTool,
];

/** No engine can be started here. The message is the reason. */
export class EngineMissing extends Error {}

export interface ContainerEngine {
  /** Path of its socket. */
  readonly socket: string;
  /** Kills the daemon and the programs with which it runs containers. The containers live on. */
  kill(): Promise<void>;
  /** Starts it again in the same folders. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

const DEADLINE_MS = 30_000;

/**
 * Starts a Docker daemon of its own, beside any other of the machine. It has its own folders and socket, and changes
 * nothing of the network, because executions and builds have none. Throws EngineMissing.
 */
export async function startContainerEngine(): Promise<ContainerEngine> {
  if (process.getuid?.() !== 0) throw new EngineMissing('A container engine is started by root only.');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-docker-'));
  try {
    // If the disk supports no overlay file system (a folder in a container), layers are copied.
    return (await start(folder, [])) ?? (await start(folder, ['--storage-driver', 'vfs'])) ?? refuse(folder);
  } catch (error) {
    remove(folder);
    throw error;
  }
}

/** Null when it ends instead of listening. */
async function start(folder: string, options: readonly string[]): Promise<ContainerEngine | null> {
  const socket = path.join(folder, 'docker.sock');
  mkdirSync(path.join(folder, 'home'), { recursive: true });
  let daemon = spawnDaemon(folder, socket, options);
  if (!(await listens(daemon, socket))) return null;
  return {
    socket,
    async kill() {
      const ended = once(daemon, 'exit');
      daemon.kill('SIGKILL');
      await ended;
    },
    async revive() {
      // Its containerd has died with it. If nobody reaps that process, the next daemon would think that it lives.
      for (const trace of ['pid', 'exec/containerd/containerd.pid', 'exec/containerd/containerd.sock'])
        rmSync(path.join(folder, trace), { force: true });
      daemon = spawnDaemon(folder, socket, options);
      if (!(await listens(daemon, socket))) throw new Error(`dockerd does not start again: ${said.slice(-2_000)}`);
    },
    stop: () => stop(daemon, folder),
  };
}

function spawnDaemon(folder: string, socket: string, options: readonly string[]): ChildProcess {
  const own = ['--data-root', path.join(folder, 'root'), '--exec-root', path.join(folder, 'exec')];
  const shared = ['--pidfile', path.join(folder, 'pid'), '--host', `unix://${socket}`, '--group', '0'];
  const network = ['--iptables=false', '--ip6tables=false', '--bridge=none'];
  const daemon = spawn('/usr/sbin/dockerd', [...own, ...shared, ...network, ...options], {
    cwd: '/',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: path.join(folder, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Reads all output, because a full pipe would block the daemon, but keeps only a part.
  daemon.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-100_000);
  });
  return daemon;
}

/** Returns false when it ends instead of listening, or takes too long. */
async function listens(daemon: ChildProcess, socket: string): Promise<boolean> {
  for (const end = Date.now() + DEADLINE_MS; Date.now() < end && isRunning(daemon); await pause(50))
    if (await answers(socket)) return true;
  await end(daemon);
  return false;
}

let said = '';

function refuse(folder: string): never {
  throw new EngineMissing(`dockerd cannot be started in ${folder}: ${said.slice(-2_000)}`);
}

async function stop(daemon: ChildProcess, folder: string): Promise<void> {
  await end(daemon);
  endShims(folder);
  remove(folder);
}

/** Kills the shims between a killed daemon in this folder and its containers. No later daemon would end them. */
export function endShims(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (command.includes('containerd-shim') && command.includes(folder)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function end(daemon: ChildProcess): Promise<void> {
  if (!isRunning(daemon)) return;
  const ended = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  await ended;
}

function isRunning(daemon: ChildProcess): boolean {
  return daemon.exitCode === null && daemon.signalCode === null;
}

function remove(folder: string): void {
  unmountBelow(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Unmounts what a daemon has mounted in its folder, the deepest first. */
export function unmountBelow(folder: string): void {
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts.filter((one) => one.startsWith(`${folder}/`)).toReversed())
    spawnSync('umount', ['--lazy', mount]);
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ socketPath, path: '/_ping' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.once('error', () => resolve(false));
  });
}

/** The package busybox has the same path, but its program needs libraries that images do not have. */
function isStaticBusybox(): boolean {
  if (!existsSync('/bin/busybox')) return false;
  return spawnSync('dpkg-query', ['-S', '/bin/busybox'], { encoding: 'utf8' }).stdout.includes('busybox-static');
}
