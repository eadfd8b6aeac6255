import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { FD, fixedOptions, layoutOptions, type Layout } from './bwrap.ts';
import type { CgroupLimits, CgroupTree } from './cgroups.ts';
import type { PreparedSandbox } from './sandbox.ts';
import { SandboxProcess } from './sandbox-process.ts';
import type { SandboxRoot } from './root.ts';
import type { View, Views } from './views.ts';

/** State that all sandboxes of one runner share. */
export interface SandboxContext {
  root: SandboxRoot;
  /** Views of the root, one for each living sandbox. */
  views: Views;
  cgroups: CgroupTree | null;
}

/** Facts that bubblewrap needs at its start. The layout can come later. */
export interface Start {
  /** Names the cgroup; unique among living sandboxes. */
  name: string;
  /** The unprivileged user of the host that the sandbox runs as. Null keeps our own user (when we are not root). */
  uid: number | null;
  command: readonly string[];
  network: Layout['network'];
  /** Bytes of the largest file that a process of the sandbox may write. Beyond it a write fails (RLIMIT_FSIZE). */
  fileBytes: number;
  /** Memory per process and number of processes. Set only without cgroups. */
  rlimits: CgroupLimits | null;
  /**
   * The result file, opened for append; the caller closes it. Null for a command that needs no input to begin: it then
   * waits on this descriptor until it is certain to die with the runner.
   */
  resultFd: number | null;
  /** The command reports its usage on {@link FD.USAGE}, where no cgroup measures it. */
  reportsUsage: boolean;
  /** The command reports on {@link FD.READY} that it waits for its input. */
  reportsReady: boolean;
}

/**
 * Starts bubblewrap, which then waits for its options. So it is in its cgroup before it starts any process. Moving the
 * first process of a finished sandbox would cost 8 to 24 ms of each start; here they pass before the sandbox is needed.
 * @throws when the process cannot be started at all.
 */
export function prepare(context: SandboxContext, start: Start): PreparedSandbox {
  const seccomp = openSync(`${context.root.dir}/seccomp.bpf`, 'r');
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
        ...(start.reportsUsage || start.reportsReady
          ? [start.reportsUsage ? ('pipe' as const) : ('ignore' as const)]
          : []),
        ...(start.reportsReady ? (['pipe'] as const) : []),
      ],
    });
    let view: View | null = null;
    const optionsOf = (layout: Layout): Buffer => {
      view ??= context.views.take(context.root, layout.mounts);
      return layoutOptions(view.root, { ...layout, mounts: view.mounts });
    };
    const sandbox = new SandboxProcess(child, context.cgroups?.create(start.name) ?? null, start.name, optionsOf);
    void sandbox.ended.then(() => view?.release());
    return sandbox;
  } finally {
    closeSync(seccomp);
  }
}

const WAIT = `read -r go <&${FD.RESULT} || exit 125; exec "$@" ${FD.RESULT}<&-`;

/** Open files of a process. Beyond it open(2) fails. */
const OPEN_FILES = 1024;

/**
 * Limits that hold from bubblewrap on, before any code of a service runs (a library of LD_PRELOAD or a `.pth` file).
 */
function limitsOf({ fileBytes, rlimits }: Start): readonly string[] {
  const memory = rlimits === null ? [] : [`--as=${rlimits.memoryBytes}`];
  return ['--core=0', `--nofile=${OPEN_FILES}`, `--fsize=${fileBytes}`, ...memory];
}

/** Processes are counted inside the sandbox, where the count covers this sandbox alone (Linux 5.14 and later). */
function commandOf({ command, rlimits, resultFd, reportsUsage }: Start): readonly string[] {
  const count =
    rlimits === null ? [] : ['/usr/bin/prlimit', `--nproc=${rlimits.processes + (reportsUsage ? 1 : 0)}`, '--'];
  return [...(resultFd === null ? ['/bin/sh', '-c', WAIT, 'sh'] : []), ...count, ...command];
}
