import { existsSync, lstatSync, readlinkSync } from 'node:fs';

/** READ: the repository cannot be changed. */
export type GitAccess = 'READ' | 'WRITE';

/** Paths of the repository and of the hooks in a sandbox. */
export const SANDBOX_REPOSITORY = '/repository';
export const SANDBOX_HOOKS = '/hooks';

export interface Confinement {
  /** Seconds of processor time; beyond them the process is killed. */
  readonly cpuSeconds: number;
  /** Bytes of the largest file that may be written. */
  readonly fileBytes: number;
}

/** Bytes of address space of one process. */
const ADDRESS_SPACE = 4 * 1024 * 1024 * 1024;
const OPEN_FILES = 1_024;
const PRLIMIT = '/usr/bin/prlimit';
const BUBBLEWRAP = '/usr/bin/bwrap';

/** The command that sets limits of resources before the next one; empty where there is none, as on macOS. */
export function limitCommand({ cpuSeconds, fileBytes }: Confinement): readonly string[] {
  if (!existsSync(PRLIMIT)) return [];
  const limits = [`--cpu=${cpuSeconds}`, `--fsize=${fileBytes}`, `--as=${ADDRESS_SPACE}`, `--nofile=${OPEN_FILES}`];
  return [PRLIMIT, '--core=0', ...limits, '--'];
}

/** A file or folder that a sandbox sees and cannot change. */
export interface Binding {
  readonly from: string;
  readonly to: string;
}

/**
 * The command that starts the next one in a sandbox: it sees the programs of the machine, one repository and `bindings`,
 * and has no network.
 */
export function sandboxCommand(
  repository: string,
  hooks: string,
  access: GitAccess,
  bindings: readonly Binding[] = [],
): readonly [string, ...string[]] {
  const unshared = ['user', 'pid', 'ipc', 'uts', 'net'].map((kind) => `--unshare-${kind}`);
  const options = [
    [...unshared, '--unshare-cgroup-try', '--disable-userns', '--die-with-parent', '--new-session'],
    ['--cap-drop', 'ALL', '--ro-bind', '/usr', '/usr', ...systemFolders()],
    ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    [access === 'READ' ? '--ro-bind' : '--bind', repository, SANDBOX_REPOSITORY],
    ['--ro-bind', hooks, SANDBOX_HOOKS, ...bindings.flatMap(({ from, to }) => ['--ro-bind', from, to])],
    ['--chdir', SANDBOX_REPOSITORY, '--'],
  ];
  return [BUBBLEWRAP, ...options.flat()];
}

/** The folders of programs beside /usr: links into it on most systems. */
function systemFolders(): string[] {
  return ['/bin', '/lib', '/lib64'].flatMap((folder) => {
    if (!existsSync(folder)) return [];
    if (lstatSync(folder).isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder];
    return ['--ro-bind', folder, folder];
  });
}
