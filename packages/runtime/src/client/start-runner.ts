import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';

const MAIN = fileURLToPath(new URL('../runner/main.ts', import.meta.url));
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/**
 * The runner forks for every sandbox and is blocked meanwhile: 1.5 ms, and 4 ms when it holds 40 MB more. So its young
 * objects get 1 MB instead of up to 16.
 */
const FLAG = '--max-semi-space-size=1';
/** Threads for file operations. Some wait for the kernel to change cgroups, and must not block disk access. */
const THREADS = '8';
/**
 * Compiles the runner's code in another process, once per version: the code that strips types would keep 26 MB for
 * ever.
 */
const COMPILE = '[ -e "$1" ] || { "$2" "$3" "$4" compile && : > "$1"; }; shift; ';
/** Mounts `<dataDir>/runtime` a second time, in a namespace that only the runner sees. */
const MOUNT = 'mount --bind -- "$1" "$2" || exit 1; shift 2; ';
/** Forbids core dumps: the runner holds secrets of executions, which must not reach the disk in a crash. */
const BECOME = 'ulimit -c 0; exec "$@"';

/**
 * Starts the runner of a data folder, in a session of its own, so that it outlives this process. It inherits none of
 * the environment, which contains secrets of the platform. When another runner holds the folder, it ends by itself.
 */
export function startRunner(paths: RunnerPaths, version: string): ChildProcess {
  const mountPoint = prepareMountPoint(paths);
  const argument = JSON.stringify({ runtimeDir: paths.runtimeDir, mountPoint, version });
  const compiled = getCompileCacheDir();
  const script = [mountPoint !== null && MOUNT, compiled !== undefined && COMPILE, BECOME].filter(Boolean).join('');
  const shell = [
    '/bin/sh',
    '-c',
    script,
    'sh',
    ...(mountPoint === null ? [] : [paths.runtimeDir, mountPoint]),
    ...(compiled === undefined ? [] : [join(compiled, `runner-${version}`)]),
    process.execPath,
    FLAG,
    MAIN,
    argument,
  ];
  const [command = '', ...rest] =
    mountPoint === null ? shell : ['unshare', '--mount', '--propagation', 'slave', ...shell];
  const env = {
    PATH,
    UV_THREADPOOL_SIZE: THREADS,
    ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }),
  };
  const log = openSync(paths.log, 'a', 0o600);
  try {
    const child = spawn(command, rest, { detached: true, cwd: '/', env, stdio: ['ignore', log, log] });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * Prepares a short path by which every user can reach `<dataDir>/runtime`. As root, sandboxes run as other users, who
 * may not pass through the parents of the data folder (a home folder has mode 0700). Null when we are not root or not
 * allowed to mount.
 */
function prepareMountPoint(paths: RunnerPaths): string | null {
  if (process.getuid?.() !== 0) return null;
  const allowed = spawnSync('unshare', ['--mount', '/bin/true'], { env: { PATH } });
  if (allowed.status !== 0) return null;
  const mountPoint = `/run/kethub/${paths.mark}`;
  try {
    mkdirSync('/run/kethub', { recursive: true, mode: 0o711 });
    mkdirSync(mountPoint, { recursive: true, mode: 0o711 });
    return mountPoint;
  } catch (error) {
    // sandboxes then reach the data folder by its own path
    if (errorCode(error) === 'EROFS' || errorCode(error) === 'EACCES') return null;
    throw error;
  }
}
