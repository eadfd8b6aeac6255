import type { ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '../errors.ts';
import { FD, type Layout } from './bwrap.ts';
import type { Cgroup, CgroupLimits } from './cgroups.ts';
import type { Exit, PreparedSandbox } from './sandbox.ts';
import { signalQuietly, startOf, stopAll } from './processes.ts';
import { readStatus, type StatusReader } from './status.ts';
import { descendantsOf, readUsage, residentBytesBelow, usageBelow, type Usage } from './usage.ts';

/** A bubblewrap process from its spawn to the death of all processes that it started. */
export class SandboxProcess implements PreparedSandbox {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<Exit>;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #group: Cgroup | null;
  readonly #optionsOf: (layout: Layout) => Buffer;
  readonly #stdin: Writable;
  readonly #statusStream: Readable;
  readonly #optionsStream: Writable;
  readonly #usageStream: Readable | null;
  readonly #readyStream: Readable | null;
  readonly #reportedUsage: () => Usage | null;
  /** The usage at the moment of the kill. */
  #usageAtKill: Usage | null = null;
  /** The pipe of a command that waits for permission to begin; null for all others. */
  readonly #gate: Writable | null;
  readonly #status: StatusReader;
  /** True if it is in its cgroup. */
  readonly #attached: Promise<boolean>;
  #isAttached = false;
  /** bubblewrap has its options and may have started processes. */
  #begun = false;
  /** The command may have its input: it is now certain to end, even if the runner dies. */
  #released = false;
  #input: Buffer | null = null;
  #inputRefused = false;
  #killed = false;
  #frozen = false;
  #over = false;
  #firstStart: string | null = null;

  constructor(child: ChildProcess, group: Cgroup | null, name: string, optionsOf: (layout: Layout) => Buffer) {
    const { stdin, stdout, stderr } = child;
    const stdio: readonly unknown[] = child.stdio; // declared with five members
    const [gate, status, options] = [stdio[FD.RESULT], stdio[FD.STATUS], stdio[FD.OPTIONS]];
    const [usage, ready] = [stdio[FD.USAGE], stdio[FD.READY]];
    if (!stdin || !stdout || !stderr || !(status instanceof Readable) || !(options instanceof Writable)) {
      throw new Error('bubblewrap could not be started: no pipes.');
    }
    this.pid = child.pid ?? -1;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#name = name;
    this.#child = child;
    this.#group = group;
    this.#optionsOf = optionsOf;
    this.#stdin = stdin;
    this.#statusStream = status;
    this.#optionsStream = options;
    this.#gate = gate instanceof Writable ? gate : null;
    for (const pipe of [options, this.#gate]) pipe?.on('error', this.#reportPipe);
    stdin.on('error', (error) => {
      this.#inputRefused ||= errorCode(error) === 'EPIPE';
      this.#reportPipe(error);
    });
    this.#usageStream = usage instanceof Readable ? usage : null;
    this.#readyStream = ready instanceof Readable ? ready : null;
    this.#readyStream?.on('error', this.#reportPipe);
    this.#reportedUsage = this.#usageStream ? readUsage(this.#usageStream) : () => null;
    this.#status = readStatus(status);
    this.#status.onFirstPid((pid) => {
      this.#reported(pid);
    });
    this.#attached = this.#attach();
    this.ended = this.#end();
  }

  begin(layout: Layout, limits: CgroupLimits): void {
    const options = this.#optionsOf(layout);
    if (this.#isAttached || this.#group === null) this.#begin(options, limits);
    else void this.#attached.then((attached) => attached && this.#begin(options, limits));
  }

  send(input: Buffer): void {
    if (this.#released) this.#stdin.end(input);
    else this.#input = input;
  }

  get inputRefused(): boolean {
    return this.#inputRefused;
  }

  memoryBytes(): number | null {
    if (this.#over) return null;
    if (this.#group !== null) return this.#group.memoryBytes();
    return this.#status.firstPid === null ? null : residentBytesBelow(this.#status.firstPid);
  }

  onReady(then: () => void): void {
    this.#readyStream?.once('data', () => {
      this.#readyStream?.destroy(); // the first byte counts, all others are ignored
      then();
    });
  }

  freeze(): void {
    if (this.#over || this.#killed || this.#frozen) return;
    this.#frozen = true;
    if (this.#group?.freeze() === true) return;
    stopAll(
      () => this.processes(),
      () => this.#frozen && !this.#over,
    ).catch((error: unknown) => {
      console.error(`sandbox ${this.#name} could not be stopped and is ended: ${messageOf(error)}`);
      this.kill();
    });
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    if (this.#over || this.#group?.thaw() === true) return;
    for (const pid of this.processes()) signalQuietly(pid, 'SIGCONT');
  }

  processes(): number[] {
    if (this.#group !== null) return this.#group.processes();
    const first = this.#status.firstPid;
    return first === null ? [] : [first, ...descendantsOf(first)];
  }

  terminate(): void {
    // The process group holds bubblewrap's init, which ignores SIGTERM, and the command.
    if (!this.#released || this.#status.firstPid === null) this.kill();
    else if (!this.#over) signalQuietly(-this.#status.firstPid, 'SIGTERM');
  }

  kill(): void {
    this.#killed = true;
    if (this.#over) return;
    if (this.#group === null && this.#begun) {
      // If bubblewrap is killed before it reports its first process, that process stays behind and waits for its parent
      // for ever.
      if (this.#status.firstPid === null) return;
      if (this.#usageStream) this.#usageAtKill ??= usageBelow(this.#status.firstPid);
      signalQuietly(this.#status.firstPid, 'SIGKILL');
    }
    this.#group?.kill();
    this.#child.kill('SIGKILL');
  }

  async #attach(): Promise<boolean> {
    if (this.#group === null) return false;
    try {
      await this.#group.attach(this.pid);
      this.#isAttached = true;
    } catch (error) {
      if (!this.#killed) console.error(`sandbox ${this.#name}: no limits, not run: ${messageOf(error)}`);
      this.kill();
    }
    return this.#isAttached;
  }

  #begin(options: Buffer, limits: CgroupLimits): void {
    if (this.#killed || this.#over) return;
    try {
      this.#group?.limit({ ...limits, processes: limits.processes + 1 }); // bubblewrap itself counts
    } catch (error) {
      console.error(`sandbox ${this.#name}: limits not accepted, not run: ${messageOf(error)}`);
      this.kill();
      return;
    }
    this.#begun = true;
    this.#optionsStream.end(options);
    // In a cgroup nothing is lost: the next runner kills what a dead runner leaves in it.
    if (this.#group !== null) this.#release();
  }

  #reported(firstPid: number): void {
    this.#firstStart = startOf(firstPid);
    if (this.#killed) this.kill();
    else this.#release(); // from here on bubblewrap dies with the runner
  }

  #release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#gate?.end('go\n');
    if (this.#input !== null) this.#stdin.end(this.#input);
    this.#input = null;
  }

  async #end(): Promise<Exit> {
    const { code, signal } = await exitOf(this.#child);
    await this.#attached;
    await this.#allDead();
    this.#over = true;
    this.#readyStream?.destroy();
    // All processes that could keep the pipes open are dead, so each pipe ends when it has been read.
    const usageStream = this.#usageStream ? [this.#usageStream] : [];
    await Promise.all([this.stdout, this.stderr, this.#statusStream, ...usageStream].map(read));
    const reported = this.#status.exitCode();
    const group = this.#group;
    const usage = this.#reportedUsage() ?? this.#usageAtKill;
    const exit: Exit = {
      code: signal === null ? (reported ?? code) : null,
      signal,
      // bubblewrap ends with 1 and reports no exit code exactly when it could not set up the sandbox.
      commandRan: this.#begun && this.#released && (reported !== null || code !== 1 || this.#killed),
      outOfMemory: group?.outOfMemory() ?? false,
      peakMemoryBytes: group ? group.peakMemoryBytes() : (usage?.peakMemoryBytes ?? null),
      cpuMs: group ? group.cpuMs() : (usage?.cpuMs ?? null),
      ...(usage && { measuredBy: 'PROCESSES' as const }),
    };
    group?.remove().catch((error: unknown) => {
      console.error(`cgroup ${this.#name} could not be removed: ${messageOf(error)}`);
    });
    return exit;
  }

  /**
   * Kills all processes and waits until none is left. The exit of bubblewrap is the end of the command, not of its
   * descendants.
   */
  async #allDead(): Promise<void> {
    const first = this.#status.firstPid;
    for (let attempt = 0; ; attempt++) {
      if (this.#group !== null) {
        if (this.#group.isEmpty()) return;
        // The end of a PID namespace's first process ends all others, mostly within a millisecond. So the first check
        // kills nothing.
        if (attempt > 0) this.#group.kill();
      } else {
        // The first process of a PID namespace dies after all others. Its number may then belong to another process.
        if (first === null || this.#firstStart === null || startOf(first) !== this.#firstStart) return;
        signalQuietly(first, 'SIGKILL');
      }
      await pause(Math.min(20, 1 + attempt));
    }
  }

  /**
   * Reports errors of pipes. A process that ends before it has read everything is recognized by its exit, not by our
   * failed write.
   */
  readonly #reportPipe = (error: Error): void => {
    if (errorCode(error) === 'EPIPE' || errorCode(error) === 'ECONNRESET') return;
    console.error(`sandbox ${this.#name}: ${error.message}`);
  };
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

async function read(stream: Readable): Promise<void> {
  if (stream.closed || stream.destroyed || stream.readableEnded) return;
  await new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) {
      stream.once(event, () => {
        resolve();
      });
    }
  });
}
