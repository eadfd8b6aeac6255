import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../errors.ts';
import type { Places } from '../places.ts';

const MAIN = fileURLToPath(new URL('../runner/main.ts', import.meta.url));
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Mounts `<dataDir>/runtime` a second time, in a namespace that only the runner sees, then becomes the runner. */
const MOUNT_AND_BECOME = 'ulimit -c 0; mount --bind -- "$1" "$2" && shift 2 && exec "$@"';
/** It holds the secrets of executions: the kernel must not write them to the disk if it crashes. */
const BECOME = 'ulimit -c 0; exec "$@"';

/**
 * Starts the runner of a data folder. It gets a session of its own, so that it outlives this process, and none of its
 * environment, where secrets of the platform are. When another runner holds the folder it ends by itself.
 */
export function startRunner(places: Places, version: string): ChildProcess {
  const passage = preparePassage(places);
  const runner = [process.execPath, MAIN, JSON.stringify({ runtimeDir: places.runtimeDir, passage, version })];
  const mounted = ['--mount', '--propagation', 'slave', '/bin/sh', '-c', MOUNT_AND_BECOME, 'sh', places.runtimeDir];
  const [command = '', ...rest] =
    passage === null ? ['/bin/sh', '-c', BECOME, 'sh', ...runner] : ['unshare', ...mounted, passage, ...runner];
  const log = openSync(places.log, 'a', 0o600);
  try {
    const child = spawn(command, rest, { detached: true, cwd: '/', env: { PATH }, stdio: ['ignore', log, log] });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/**
 * As root, sandboxes run as other users, who may not pass through the parents of the data folder (a home folder has mode
 * 0700). So the runner sees `<dataDir>/runtime` at a short path that all may pass. Null when we are not root or not allowed.
 */
function preparePassage(places: Places): string | null {
  if (process.getuid?.() !== 0) return null;
  const allowed = spawnSync('unshare', ['--mount', '/bin/true'], { env: { PATH } });
  if (allowed.status !== 0) return null;
  const passage = `/run/kethub/${places.mark}`;
  try {
    mkdirSync('/run/kethub', { recursive: true, mode: 0o711 });
    mkdirSync(passage, { recursive: true, mode: 0o711 });
    return passage;
  } catch (error) {
    if (errorCode(error) === 'EROFS' || errorCode(error) === 'EACCES') return null; // sandboxes then need a path of their own
    throw error;
  }
}
