import type { SandboxRoot } from './root.ts';

/** File descriptors of a started sandbox. 0 to 2 are stdin, stdout and stderr, 3 is the result file of an execution. */
export const FD = { RESULT: 3, SECCOMP: 4, STATUS: 5, OPTIONS: 6, USAGE: 7, READY: 8 } as const;

/** A folder or file of this machine at a place inside. */
export interface Mount {
  from: string;
  to: string;
  writable: boolean;
  /**
   * For what other sandboxes see as well: this one gets an overlay over it. KEPT when its content never changes, so that the
   * overlay can serve another one afterwards.
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
 * Options that are the same for all: on the command line, so that bubblewrap without the rest of them (its runner died)
 * can only make a sandbox that has no program in it.
 *
 * - The user namespace maps an unprivileged uid of the host, another one for every sandbox of this machine, to 1000.
 * - `--disable-userns` and `--unshare-net` cost 0.0 and 0.7 ms of the 4 ms that a sandbox adds to a process (quiet machine).
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
 * Options of one sandbox, for `--args FD`: on the command line everyone could read them, also inside, and the values of
 * variables with it. Each option ends with a zero byte.
 *
 * Only `/tmp` and the writable mounts can be written. `/dev/shm` is a link to `/tmp`, because semaphores of Python's
 * multiprocessing must be made there. An own `/dev` of five devices starts 0.2 ms faster than `--dev` (devpts, tty).
 * @throws when a path or a value holds a zero byte: what follows would be another option.
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

/** The environment every sandbox starts with. */
export function baseEnvironment(cpus: number): Record<string, string> {
  // numpy starts a thread per core of the machine otherwise; with one thread its import took 90 ms instead of 160 to 190 ms.
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
