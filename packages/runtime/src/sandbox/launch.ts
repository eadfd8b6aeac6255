import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { FD, fixedOptions, layoutOptions, type Layout } from './bwrap.ts';
import type { CgroupLimits, CgroupTree } from './cgroups.ts';
import { LivingSandbox } from './living.ts';
import type { SandboxRoot } from './root.ts';
import type { View, Views } from './views.ts';

/** What this runner starts its sandboxes with. */
export interface Ground {
  root: SandboxRoot;
  /** Of the root, one for each living sandbox. */
  views: Views;
  cgroups: CgroupTree | null;
}

/** What must be known when bubblewrap is started; the rest can come later. */
export interface Start {
  /** Names the cgroup; unique among living sandboxes. */
  name: string;
  /** The unprivileged user of the host that the sandbox runs as, or null to stay who we are (when we are not root). */
  uid: number | null;
  command: readonly string[];
  network: Layout['network'];
  /** Largest file that any process of the sandbox may write. */
  fileBytes: number;
  /** Only without cgroups: memory of a process and count of processes. */
  rlimits: CgroupLimits | null;
  /**
   * Opened for append, closed by the caller. Null for a command that needs no input to begin: it waits on this descriptor
   * until it is certain that it dies with us.
   */
  resultFd: number | null;
  /** The command tells on {@link FD.USAGE} what it took: where no cgroup measures it. */
  tellsUsage: boolean;
  /** The command tells on {@link FD.READY} that it waits for its input. */
  tellsReady: boolean;
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
  /** Set when cgroups of ours have not measured both; of PROCESSES the memory is that of the largest. */
  measuredBy?: 'ENGINE' | 'PROCESSES';
  /** Whether it finished cannot be known: what ran it was ended, or its traces are gone. */
  lost?: boolean;
}

/** A living sandbox. */
export interface Sandbox {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When every process of it is dead and its output has been read to the end. Never rejects. */
  readonly ended: Promise<Exit>;
  /** Writes all of stdin and ends it, but not before the limits hold. */
  send(input: Buffer): void;
  /**
   * True when it is certain that the command has not read all of its input: it was closed before all could be written. A
   * callback of the stream would not do: it also fails when a fast command has ended before we hear that all was written.
   */
  readonly inputRefused: boolean;
  memoryBytes(): number | null;
  /** All that live; without cgroups those below bubblewrap. */
  processes(): number[];
  /** Calls `then` once, when the command tells that it is ready. Only a hint: user code may tell it as well, or keep it back. */
  onReady(then: () => void): void;
  /** Stops every process, until {@link thaw}. What cannot be stopped is killed. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM to the command's process group. */
  terminate(): void;
  /** Ends every process at once. */
  kill(): void;
}

/** A bubblewrap process that waits, in a cgroup of its own, to be told what to make. It holds 1 MB and costs no time. */
export interface PreparedSandbox extends Sandbox {
  /** Sets the limits and makes the sandbox. @throws when the layout cannot be told. */
  begin(layout: Layout, limits: CgroupLimits): void;
}

/**
 * Starts bubblewrap, which then waits for its options: so it is in its cgroup before it starts anything. Moving the first
 * process of a finished sandbox there instead costs its start the 8 to 24 ms that are spent before it is needed now.
 * @throws when the process cannot be started at all.
 */
export function prepare(ground: Ground, start: Start): PreparedSandbox {
  const seccomp = openSync(`${ground.root.dir}/seccomp.bpf`, 'r');
  const identity = start.uid === null ? {} : { uid: start.uid, gid: start.uid };
  try {
    const command = ['/usr/bin/bwrap', ...fixedOptions(start.network), '--', ...commandOf(start)];
    const child = spawn('/usr/bin/prlimit', [...limitsOf(start), '--', ...command], {
      ...identity,
      env: {},
      cwd: '/',
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        start.resultFd ?? 'pipe',
        seccomp,
        'pipe',
        'pipe',
        ...(start.tellsUsage || start.tellsReady ? [start.tellsUsage ? ('pipe' as const) : ('ignore' as const)] : []),
        ...(start.tellsReady ? (['pipe'] as const) : []),
      ],
    });
    let view: View | null = null;
    const optionsOf = (layout: Layout): Buffer => {
      view ??= ground.views.take(ground.root, layout.mounts);
      return layoutOptions(view.root, { ...layout, mounts: view.mounts });
    };
    const sandbox = new LivingSandbox(child, ground.cgroups?.create(start.name) ?? null, start.name, optionsOf);
    void sandbox.ended.then(() => view?.release());
    return sandbox;
  } finally {
    closeSync(seccomp);
  }
}

const WAIT = `read -r go <&${FD.RESULT} || exit 125; exec "$@" ${FD.RESULT}<&-`;

/** Beyond it open(2) fails. */
const OPEN_FILES = 1024;

/** They hold for bubblewrap already, before anything of a service can run: a library of LD_PRELOAD or a `.pth` file. */
function limitsOf({ fileBytes, rlimits }: Start): readonly string[] {
  const memory = rlimits === null ? [] : [`--as=${rlimits.memoryBytes}`];
  return ['--core=0', `--nofile=${OPEN_FILES}`, `--fsize=${fileBytes}`, ...memory];
}

/** Processes are counted inside, where the count is the sandbox's own (Linux 5.14 and later). */
function commandOf({ command, rlimits, resultFd, tellsUsage }: Start): readonly string[] {
  const count =
    rlimits === null ? [] : ['/usr/bin/prlimit', `--nproc=${rlimits.processes + (tellsUsage ? 1 : 0)}`, '--'];
  return [...(resultFd === null ? ['/bin/sh', '-c', WAIT, 'sh'] : []), ...count, ...command];
}
