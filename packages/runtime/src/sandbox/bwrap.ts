import type { SandboxRoot } from './root.ts';

/** File descriptors of a started sandbox. 0 to 2 are stdin, stdout and stderr; 3 is the result file of an execution. */
export const FD = { RESULT: 3, SECCOMP: 4, STATUS: 5, OPTIONS: 6, USAGE: 7, READY: 8 } as const;

/** A folder or file of this machine, mounted into the sandbox. */
export interface Mount {
  from: string;
  to: string;
  writable: boolean;
  /**
   * Puts an overlay between this sandbox and content that other sandboxes see as well. KEPT: the content never changes,
   * so another sandbox can reuse the overlay. ONCE: the overlay ends with the sandbox.
   */
  overlay?: 'KEPT' | 'ONCE';
}

/** The options that differ from one sandbox to the next. */
export interface Layout {
  mounts: readonly Mount[];
  tmpBytes: number;
  workingDirectory: string;
  environment: Readonly<Record<string, string>>;
  network: 'NONE' | 'HOST';
}

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];

/**
 * Options that all sandboxes share. They are on the command line: if the runner dies before it sends the others,
 * bubblewrap can only make a sandbox without a program.
 *
 * - The user namespace maps 1000 to an unprivileged uid of the host, a different one for every sandbox of this machine.
 * - `--disable-userns` and `--unshare-net` cost 0.0 and 0.7 ms of the 4 ms that a sandbox adds to a process (quiet
 *   machine).
 */
export function fixedOptions(network: Layout['network']): string[] {
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    network === 'NONE' ? ['--unshare-net'] : [],
    ['--disable-userns', '--uid', '1000', '--gid', '1000', '--hostname', 'service'],
    ['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ['--seccomp', String(FD.SECCOMP), '--json-status-fd', String(FD.STATUS), '--args', String(FD.OPTIONS)],
  ].flat();
}

/**
 * Options of one sandbox, for `--args FD`. On the command line everybody, also inside, could read them and the values
 * of variables. Each option ends with a zero byte.
 *
 * Only `/tmp` and the writable mounts can be written. `/dev/shm` is a link to `/tmp`, because Python's multiprocessing
 * must make its semaphores there. A `/dev` of our own with five devices starts 0.2 ms faster than `--dev` (devpts,
 * tty).
 * @throws when a path or a value holds a zero byte: the rest of it would become another option.
 */
export function layoutOptions(root: SandboxRoot, layout: Layout): Buffer {
  const bind = (mount: Mount): string[] => [mount.writable ? '--bind' : '--ro-bind', mount.from, mount.to];
  const options = [
    ['--ro-bind', root.usr, '/usr', ...root.shown.flatMap(({ from, to }) => ['--ro-bind', from, to])],
    ['--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ['--ro-bind', `${root.dir}/etc`, '/etc', '--ro-bind', `${root.dir}/runner`, '/runner', '--proc', '/proc'],
    root.masks.flatMap(({ from, to }) => ['--ro-bind', from, to]),
    ['--tmpfs', '/dev', ...DEVICES.flatMap((name) => ['--dev-bind', `${root.devices}/${name}`, `/dev/${name}`])],
    ['--symlink', '/proc/self/fd', '/dev/fd', '--symlink', '/proc/self/fd/0', '/dev/stdin'],
    ['--symlink', '/proc/self/fd/1', '/dev/stdout', '--symlink', '/proc/self/fd/2', '/dev/stderr'],
    ['--symlink', '/tmp', '/dev/shm', '--remount-ro', '/dev'],
    ['--perms', '1777', '--size', String(layout.tmpBytes), '--tmpfs', '/tmp'],
    layout.network === 'HOST' ? ['--ro-bind-try', '/etc/resolv.conf', '/etc/resolv.conf'] : [],
    layout.mounts.flatMap(bind),
    ['--remount-ro', '/', '--chdir', layout.workingDirectory],
    Object.entries(layout.environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ].flat();
  const split = options.find((option) => option.includes('\0'));
  if (split !== undefined) throw new Error(`${JSON.stringify(split.slice(0, 100))} holds a zero byte.`);
  return Buffer.from(`${options.join('\0')}\0`);
}

/** The environment that every sandbox starts with. */
export function baseEnvironment(cpus: number): Record<string, string> {
  // By default numpy starts a thread per core of the machine. With one thread its import took 90 ms instead of 160 to
  // 190 ms.
  const threads = String(Math.max(1, Math.floor(cpus)));
  return {
    PATH: '/usr/bin:/bin',
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    OMP_NUM_THREADS: threads,
    OPENBLAS_NUM_THREADS: threads,
    MKL_NUM_THREADS: threads,
    SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
  };
}
