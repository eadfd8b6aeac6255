import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { bwrapOptions, FD, type Layout } from './bwrap.ts';
import type { CgroupLimits, CgroupTree } from './cgroups.ts';
import { LivingSandbox } from './living.ts';
import type { SandboxRoot } from './root.ts';

/** What this runner starts its sandboxes with. */
export interface Ground {
  root: SandboxRoot;
  cgroups: CgroupTree | null;
  /** For short-lived option files. */
  scratchDir: string;
}

export interface Launch extends Layout {
  /** Names the cgroup; unique among living sandboxes. */
  name: string;
  /** The unprivileged user of the host that the sandbox runs as, or null to stay who we are (when we are not root). */
  uid: number | null;
  command: readonly string[];
  limits: CgroupLimits;
  /** Largest file, or null when the command sees to that itself (our Python side does). */
  fileBytes: number | null;
  /**
   * Opened for append, closed by the caller. Null for a command that needs no input to begin: it waits on this descriptor
   * for the limits. (If the runner dies while bubblewrap waits, bubblewrap goes on, with nobody to limit or end it.)
   */
  resultFd: number | null;
}

export interface Exit {
  /** Exit code of the command; null when a signal ended bubblewrap itself. */
  code: number | null;
  signal: string | null;
  /** False only when it is certain that the command was never executed. */
  commandRan: boolean;
  outOfMemory: boolean;
  peakMemoryBytes: number | null;
  cpuMs: number | null;
}

/** A living sandbox. */
export interface Sandbox {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When every process of it is dead and its output has been read to the end. Never rejects. */
  readonly ended: Promise<Exit>;
  /** Writes all of stdin and ends it, but not before the limits hold. `told` hears an error when not all of it was taken. */
  send(input: Buffer, told: (error?: Error | null) => void): void;
  memoryBytes(): number | null;
  /** SIGTERM to the command's process group. */
  terminate(): void;
  /** Ends every process at once. */
  kill(): void;
}

/**
 * Starts a command in a new sandbox. The command runs only after it has been put into its cgroup: bubblewrap reports the
 * first process of the sandbox and waits. Attaching after spawn() alone is not enough: in 80 to 100 % of runs it had cloned by then.
 * @throws when the process cannot be started at all.
 */
export function launch(ground: Ground, request: Launch): Sandbox {
  const seccomp = openSync(`${ground.root.dir}/seccomp.bpf`, 'r');
  const options = optionsFile(ground, request);
  const identity = request.uid === null ? {} : { uid: request.uid, gid: request.uid };
  try {
    const child = spawn('/usr/bin/bwrap', ['--args', String(FD.OPTIONS), '--', ...limited(ground, request)], {
      ...identity,
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', request.resultFd ?? 'pipe', seccomp, 'pipe', 'pipe', options],
    });
    return new LivingSandbox(child, ground.cgroups, request);
  } finally {
    closeSync(seccomp);
    closeSync(options);
  }
}

const WAIT_FOR_LIMITS = `read -r go <&${FD.RESULT} || exit 125; exec "$@" ${FD.RESULT}<&-`;

/** Without cgroups prlimit(1) sets what it can, inside, where the count of processes is the sandbox's own (Linux 5.14 and later). */
function limited(ground: Ground, request: Launch): readonly string[] {
  const { memoryBytes, processes } = request.limits;
  const rlimits = [
    ...(ground.cgroups === null ? [`--nproc=${processes}`, `--as=${memoryBytes}`] : []),
    ...(request.fileBytes === null ? [] : [`--fsize=${request.fileBytes}`]),
  ];
  return [
    ...(request.resultFd === null ? ['/bin/sh', '-c', WAIT_FOR_LIMITS, 'sh'] : []),
    ...(rlimits.length === 0 ? [] : ['/usr/bin/prlimit', ...rlimits, '--']),
    ...request.command,
  ];
}

function optionsFile(ground: Ground, request: Launch): number {
  const path = `${ground.scratchDir}/options-${request.name}`;
  const options = bwrapOptions(ground.root, request);
  // A zero byte in a path or a value would begin another option of bubblewrap.
  const split = options.find((option) => option.includes('\0'));
  if (split !== undefined) throw new Error(`${JSON.stringify(split.slice(0, 100))} holds a zero byte.`);
  writeFileSync(path, `${options.join('\0')}\0`, { mode: 0o600 });
  const fd = openSync(path, 'r');
  rmSync(path);
  return fd;
}
