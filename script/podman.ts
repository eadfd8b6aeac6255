import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EngineMissing } from './container-engine.ts';
import type { Tool } from './system-tools.ts';

/** Podman, and the programs by which it needs no root. */
export const podmanTools: readonly Tool[] = [
  { what: 'Podman', package: 'podman', isThere: () => existsSync('/usr/bin/podman') },
  { what: 'newuidmap', package: 'uidmap', isThere: () => existsSync('/usr/bin/newuidmap') },
  { what: 'the init process of containers', package: 'catatonit', isThere: () => existsSync('/usr/bin/catatonit') },
];

/** The user that Podman runs as. */
const USER = 'kethub-podman';
/** Another runtime than Podman's own, which refuses machines with both kinds of cgroups. */
const RUNC = '/usr/sbin/runc';
const DEADLINE_MS = 60_000;

export interface Podman {
  /** Path of its socket, which belongs to its user. */
  readonly socket: string;
  stop(): Promise<void>;
}

/** Starts the service of a Podman that an ordinary user has, with folders of its own. Throws EngineMissing. */
export async function startPodman(): Promise<Podman> {
  if (process.getuid?.() !== 0) throw new EngineMissing('The user of Podman is made by root only.');
  // An ordinary user has a range of further user ids for containers.
  if (spawnSync('id', [USER]).status !== 0)
    execFileSync('useradd', ['--no-create-home', '--home-dir', '/', '--shell', '/usr/sbin/nologin', USER]);
  const idOf = (option: string): number => Number(execFileSync('id', [option, USER], { encoding: 'utf8' }));
  const uid = idOf('-u');
  const gid = idOf('-g');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-podman-'));
  const at = (name: string): string => path.join(folder, name);
  chmodSync(folder, 0o755);
  for (const name of ['home', 'run', 'storage']) {
    mkdirSync(at(name), { mode: 0o700 });
    chownSync(at(name), uid, gid);
  }
  const engine = [
    'cgroup_manager = "cgroupfs"',
    'events_logger = "file"',
    ...(existsSync(RUNC) ? [`runtime = "${RUNC}"`] : []),
  ];
  writeFileSync(at('containers.conf'), `[engine]\n${engine.join('\n')}\n`);
  const storage = [`graphroot = "${at('storage/root')}"`, `runroot = "${at('storage/run')}"`];
  writeFileSync(at('storage.conf'), `[storage]\ndriver = "overlay"\n${storage.join('\n')}\n`);
  const socket = at('run/podman.sock');
  const service = spawn('/usr/bin/podman', ['system', 'service', '--time', '0', `unix://${socket}`], {
    uid,
    gid,
    cwd: '/',
    // Without root, Podman continues in a child, which does not end with it.
    detached: true,
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: at('home'),
      XDG_RUNTIME_DIR: at('run'),
      CONTAINERS_CONF: at('containers.conf'),
      CONTAINERS_STORAGE_CONF: at('storage.conf'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  service.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-10_000)));
  const stop = async (): Promise<void> => {
    await end(service);
    endHolder(at('run'));
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  for (const until = Date.now() + DEADLINE_MS; !existsSync(socket); await pause(50)) {
    if (Date.now() < until && service.exitCode === null) continue;
    await stop();
    throw new EngineMissing(`Podman cannot be started as ${USER}: ${said}`);
  }
  return { socket, stop };
}

async function end(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  signalGroup(service, 'SIGTERM');
  await ended;
  signalGroup(service, 'SIGKILL');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}

/** Ends the process that keeps the namespaces, and with them the mounts, of a Podman without root. */
function endHolder(run: string): void {
  const file = path.join(run, 'libpod/tmp/pause.pid');
  if (!existsSync(file)) return;
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
