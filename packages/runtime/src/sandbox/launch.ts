import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '../errors.ts';
import { bwrapOptions, FD, type Layout } from './bwrap.ts';
import type { Cgroup, CgroupLimits, CgroupTree } from './cgroups.ts';
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
  /** Opened for append, closed by the caller; null when the sandbox writes no result. */
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
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When every process of it is dead and its output has been read to the end. Never rejects. */
  readonly ended: Promise<Exit>;
  memoryBytes(): number | null;
  processes(): number[];
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
  const result = request.resultFd ?? openSync('/dev/null', 'w');
  const identity = request.uid === null ? {} : { uid: request.uid, gid: request.uid };
  try {
    const child = spawn('/usr/bin/bwrap', ['--args', String(FD.OPTIONS), '--', ...limited(ground, request)], {
      ...identity,
      env: {},
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', result, seccomp, 'pipe', 'pipe', options],
    });
    return watch(child, ground.cgroups, request);
  } finally {
    closeSync(seccomp);
    closeSync(options);
    if (request.resultFd === null) closeSync(result);
  }
}

/** Without cgroups prlimit(1) sets what it can, inside, where the count of processes is the sandbox's own (Linux 5.14 and later). */
function limited(ground: Ground, request: Launch): readonly string[] {
  const { memoryBytes, processes } = request.limits;
  const rlimits = [
    ...(ground.cgroups === null ? [`--nproc=${processes}`, `--as=${memoryBytes}`] : []),
    ...(request.fileBytes === null ? [] : [`--fsize=${request.fileBytes}`]),
  ];
  return rlimits.length === 0 ? request.command : ['/usr/bin/prlimit', ...rlimits, '--', ...request.command];
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

function watch(child: ChildProcess, cgroups: CgroupTree | null, request: Launch): Sandbox {
  const { stdin, stdout, stderr } = child;
  const stdio: readonly unknown[] = child.stdio; // declared with five members
  const status = stdio[FD.STATUS];
  const block = stdio[FD.BLOCK];
  if (!stdin || !stdout || !stderr || !(status instanceof Readable) || !(block instanceof Writable)) {
    throw new Error('bubblewrap could not be started: no pipes.');
  }
  // A process that ends before reading everything is told by its exit, not by our failing write.
  const ignorePipe = (error: Error): void => {
    if (errorCode(error) !== 'EPIPE' && errorCode(error) !== 'ECONNRESET')
      console.error(`sandbox ${request.name}:`, error);
  };
  stdin.on('error', ignorePipe);
  block.on('error', ignorePipe);

  const bubblewrap = readStatus(status);
  // Made while bubblewrap sets up its namespaces, so it costs no waiting.
  let group: Cgroup | null = null;
  let failed: string | null = null;
  let killed = false;
  const kill = (): void => {
    killed = true;
    group?.kill();
    if (group === null && bubblewrap.firstPid !== null) signalQuietly(bubblewrap.firstPid, 'SIGKILL');
    child.kill('SIGKILL');
  };
  try {
    group = cgroups?.create(request.name, request.limits) ?? null;
  } catch (error) {
    failed = messageOf(error);
  }
  bubblewrap.onFirstPid((pid) => {
    try {
      if (failed !== null) throw new Error(failed);
      group?.attach(pid);
      if (killed) group?.kill();
      block.end('x');
    } catch (error) {
      failed = messageOf(error);
      console.error(`sandbox ${request.name}: no limits, not run: ${failed}`);
      kill();
    }
  });
  const ended = (async (): Promise<Exit> => {
    const { code, signal } = await exitOf(child);
    await allDead(group, bubblewrap.firstPid);
    await outputRead(child, [stdout, stderr]);
    const reported = bubblewrap.exitCode();
    const exit: Exit = {
      code: signal === null ? (reported ?? code) : null,
      signal,
      // bubblewrap ends with 1 and reports no exit code exactly when it could not set up the sandbox.
      commandRan: !(
        failed !== null ||
        (bubblewrap.firstPid === null && signal === null) ||
        (reported === null && code === 1 && !killed)
      ),
      outOfMemory: group?.outOfMemory() ?? false,
      peakMemoryBytes: group?.peakMemoryBytes() ?? null,
      cpuMs: group?.cpuMs() ?? null,
    };
    // Removing takes 0.2 ms when all is well and nobody needs to wait for it.
    group?.remove().catch((error: unknown) => {
      console.error(`cgroup ${request.name} could not be removed: ${messageOf(error)}`);
    });
    return exit;
  })();
  return {
    pid: child.pid ?? -1,
    stdin,
    stdout,
    stderr,
    ended,
    memoryBytes: () => group?.memoryBytes() ?? residentBytes(bubblewrap.firstPid),
    processes: () => group?.processes() ?? [],
    terminate() {
      // The process group of bubblewrap's init, which ignores it, and of the command.
      if (bubblewrap.firstPid === null) kill();
      else signalQuietly(-bubblewrap.firstPid, 'SIGTERM');
    },
    kill,
  };
}

interface StatusReader {
  firstPid: number | null;
  exitCode(): number | null;
  onFirstPid(then: (pid: number) => void): void;
}

/** bubblewrap writes about 100 bytes. */
const STATUS_BYTES = 4096;

/** Reads `--json-status-fd`: one JSON object with `child-pid`, later one with `exit-code` if the command was executed. */
function readStatus(stream: Readable): StatusReader {
  let text = '';
  let listener: ((pid: number) => void) | null = null;
  const reader: StatusReader = {
    firstPid: null,
    exitCode() {
      const found = /"exit-code": (\d+)/.exec(text)?.[1];
      return found === undefined ? null : Number(found);
    },
    onFirstPid(then) {
      listener = then;
    },
  };
  stream.on('data', (chunk: Buffer) => {
    if (text.length < STATUS_BYTES) text += chunk.toString('latin1');
    const found = /"child-pid": (\d+)[^\d]/.exec(text)?.[1];
    if (reader.firstPid !== null || found === undefined) return;
    reader.firstPid = Number(found);
    listener?.(reader.firstPid);
  });
  stream.on('error', () => {
    stream.destroy();
  });
  return reader;
}

async function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
    child.once('error', (error) => {
      console.error(`/usr/bin/bwrap could not be started: ${error.message}`);
      resolve({ code: 1, signal: null });
    });
  });
}

/** The exit of bubblewrap is the end of the command, not of what it left behind: kill, then wait until nothing is left. */
async function allDead(group: Cgroup | null, firstPid: number | null): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (group !== null) {
      group.kill();
      if (group.isEmpty()) return;
    } else {
      if (firstPid === null || isDead(firstPid)) return;
      signalQuietly(firstPid, 'SIGKILL');
    }
    await pause(Math.min(20, 1 + attempt));
  }
}

/** The first process of a PID namespace is dead only after all others. A zombie that nobody collects counts as dead. */
function isDead(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return true;
    throw error;
  }
}

/** Everyone who could hold the pipes open is dead, so they end as soon as what is in them has been read. */
async function outputRead(child: ChildProcess, streams: Readable[]): Promise<void> {
  if (streams.every((stream) => stream.destroyed || stream.readableEnded)) return;
  await new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
    });
    if (streams.every((stream) => stream.closed)) resolve();
  });
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

function residentBytes(pid: number | null): number | null {
  if (pid === null) return null;
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean);
    let pages = 0;
    for (const child of children) pages += Number(readFileSync(`/proc/${child}/statm`, 'latin1').split(' ')[1] ?? 0);
    return pages * 4096;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return null;
    throw error;
  }
}
