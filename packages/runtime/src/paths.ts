import { createHash } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of the runner of a data folder, all in `<dataDir>/runtime`. */
export interface RunnerPaths {
  runtimeDir: string;
  /** Identifies this data folder in shared places: in `/run`, among the cgroups, in mounts. */
  mark: string;
  socket: string;
  lock: string;
  log: string;
  executions: string;
  /** Work folders of sandboxes that wait for an execution. */
  workFolders: string;
  /** Folders that are being deleted. */
  trash: string;
  /** Emptied folders of ended executions, which become work folders again. */
  spare: string;
}

/** Makes `<dataDir>/runtime`. Other users may pass through it but not list it, because sandboxes run as such users. */
export function makeRunnerPaths(dataDir: string): RunnerPaths {
  mkdirSync(join(dataDir, 'runtime'), { recursive: true, mode: 0o711 });
  return runnerPathsIn(realpathSync(join(dataDir, 'runtime')));
}

export function runnerPathsIn(runtimeDir: string): RunnerPaths {
  const at = (name: string): string => join(runtimeDir, name);
  return {
    runtimeDir,
    mark: createHash('sha256').update(runtimeDir).digest('hex').slice(0, 12),
    socket: at('runner.sock'),
    lock: at('runner.lock'),
    log: at('runner.log'),
    executions: at('executions'),
    workFolders: at('work'),
    trash: at('trash'),
    spare: at('spare'),
  };
}

/** Bytes of a socket path: sun_path of unix(7) has 108 with its final zero. A longer path needs a detour. */
const SOCKET_PATH_BYTES = 107;

/**
 * The address to bind or connect to. Call `release` afterwards: a long path is reached through a descriptor of its
 * folder.
 */
export function socketAddress(paths: RunnerPaths): { path: string; release: () => void } {
  if (Buffer.byteLength(paths.socket) <= SOCKET_PATH_BYTES) return { path: paths.socket, release: () => undefined };
  const folder = openSync(paths.runtimeDir, constants.O_RDONLY | constants.O_DIRECTORY);
  let open = true;
  return {
    path: `/proc/self/fd/${folder}/runner.sock`,
    release: () => {
      if (open) closeSync(folder);
      open = false;
    },
  };
}
