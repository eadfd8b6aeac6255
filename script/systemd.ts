import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tool } from './system-tools.ts';

/** The programs that make a machine of Debian in a folder, and start it with systemd as process 1. */
export const systemdTools: readonly Tool[] = [
  { what: 'systemd-nspawn', package: 'systemd-container', isThere: () => existsSync('/usr/bin/systemd-nspawn') },
  { what: 'mmdebstrap', package: 'mmdebstrap', isThere: () => existsSync('/usr/bin/mmdebstrap') },
];

/** Authorities that this machine trusts; the registries that it reaches may have a certificate of one of them. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const START_MS = 60_000;

export interface SystemdMachine {
  /** Folder of its root. */
  readonly root: string;
  /** Runs a script in a shell of root there. Returns what it printed; throws with that when it fails. */
  run(script: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts a machine of its own: a fresh Debian of the suite of this one, with systemd as process 1. It
 * shares the kernel and the network of this machine. Needs root.
 */
export async function startSystemdMachine(): Promise<SystemdMachine> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-systemd-'));
  const root = path.join(folder, 'root');
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  try {
    const suite = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
    // Its packages need not outlive a loss of power.
    execFileSync('mmdebstrap', ['--quiet', '--dpkgopt=force-unsafe-io', '--variant=apt', '--include=systemd-sysv,dbus,ca-certificates', suite, root], { stdio: ['ignore', 'ignore', 'inherit'] }); // prettier-ignore
  } catch (error) {
    remove();
    throw error;
  }
  let said = '';
  const nspawn = spawn(
    'systemd-nspawn',
    ['--quiet', '--boot', '--register=no', '--keep-unit', '--console=pipe', `--directory=${root}`, `--bind-ro=${AUTHORITIES}`],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '', SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'yes' } },
  ); // prettier-ignore
  for (const stream of [nspawn.stdout, nspawn.stderr])
    stream.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-20_000)));
  const leader = (): string =>
    readFileSync(`/proc/${nspawn.pid}/task/${nspawn.pid}/children`, 'utf8').trim().split(' ')[0] ?? '';
  const run = (script: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const environment = ['HOME=/root', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', `npm_config_cafile=${AUTHORITIES}`];
      const inside = ['env', '--ignore-environment', ...environment, '/bin/sh', '-euc', script];
      const options = { encoding: 'utf8', timeout: 600_000, maxBuffer: 2 ** 26 } as const;
      execFile('nsenter', ['--target', leader(), '--all', '--wdns=/', ...inside], options, (error, stdout, stderr) =>
        error ? reject(new Error(`${error.message}\n${stdout}${stderr}`)) : resolve(stdout + stderr),
      );
    });
  const stop = async (): Promise<void> => {
    if (nspawn.exitCode === null && nspawn.signalCode === null) {
      const ended = once(nspawn, 'exit');
      // Everything in the machine ends with its process 1, and then nspawn.
      const first = Number(leader());
      if (first > 1) process.kill(first, 'SIGKILL');
      else nspawn.kill('SIGKILL');
      await ended;
    }
    remove();
  };
  for (const end = Date.now() + START_MS; ; await pause(200)) {
    const state = await run('systemctl is-system-running || true').catch(() => '');
    if (/^(running|degraded)$/m.test(state)) {
      // Sandboxes mount a /proc of their own, which the kernel refuses where parts of /proc are masked.
      await run(`grep -o ' /proc/[^ ]*' /proc/mounts | xargs --no-run-if-empty umount`);
      return { root, run, stop };
    }
    if (nspawn.exitCode === null && Date.now() < end) continue;
    await stop();
    throw new Error(`systemd does not start here: ${state}\n${said}`);
  }
}
