import type { ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '../errors.ts';
import { FD } from './bwrap.ts';
import type { Cgroup, CgroupTree } from './cgroups.ts';
import type { Exit, Launch, Sandbox } from './launch.ts';
import { childrenResidentBytes, signalQuietly, startOf } from './processes.ts';
import { readStatus, type StatusReader } from './status.ts';

interface Input {
  bytes: Buffer;
  told: (error?: Error | null) => void;
}

/** A bubblewrap process from its spawn to the death of all that it started. */
export class LivingSandbox implements Sandbox {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<Exit>;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #statusStream: Readable;
  readonly #block: Writable;
  /** Of a command that waits for it. */
  readonly #gate: Writable | null;
  readonly #status: StatusReader;
  readonly #group: Cgroup | null = null;
  /** The limits hold and the command may run. */
  #released = false;
  #input: Input | null = null;
  #killed = false;
  #over = false;
  #failed: string | null = null;
  #firstStart: string | null = null;

  constructor(child: ChildProcess, cgroups: CgroupTree | null, request: Launch) {
    const { stdin, stdout, stderr } = child;
    const stdio: readonly unknown[] = child.stdio; // declared with five members
    const status = stdio[FD.STATUS];
    const block = stdio[FD.BLOCK];
    if (!stdin || !stdout || !stderr || !(status instanceof Readable) || !(block instanceof Writable)) {
      throw new Error('bubblewrap could not be started: no pipes.');
    }
    this.pid = child.pid ?? -1;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#name = request.name;
    this.#child = child;
    this.#stdin = stdin;
    this.#statusStream = status;
    this.#block = block;
    const gate = stdio[FD.RESULT];
    this.#gate = gate instanceof Writable ? gate : null;
    for (const pipe of [stdin, block, ...(this.#gate === null ? [] : [this.#gate])]) pipe.on('error', this.#reportPipe);
    this.#status = readStatus(status);
    this.#status.onFirstPid((pid) => {
      this.#release(pid);
    });
    // Made while bubblewrap sets up its namespaces, so it costs no waiting.
    try {
      this.#group = cgroups?.create(request.name, request.limits) ?? null;
    } catch (error) {
      this.#failed = messageOf(error);
    }
    this.ended = this.#end();
  }

  send(bytes: Buffer, told: (error?: Error | null) => void): void {
    // If the runner died now, bubblewrap would run the command without limits, and nobody would know: it must have no job then.
    if (this.#released) this.#stdin.end(bytes, told);
    else this.#input = { bytes, told };
  }

  memoryBytes(): number | null {
    if (this.#over) return null;
    if (this.#group !== null) return this.#group.memoryBytes();
    return this.#status.firstPid === null ? null : childrenResidentBytes(this.#status.firstPid);
  }

  terminate(): void {
    // The process group of bubblewrap's init, which ignores it, and of the command.
    if (!this.#released) this.kill();
    else if (!this.#over && this.#status.firstPid !== null) signalQuietly(-this.#status.firstPid, 'SIGTERM');
  }

  kill(): void {
    this.#killed = true;
    // Killed before it has told its first process, bubblewrap would leave that one behind, waiting for its parent without end.
    if (this.#over || this.#status.firstPid === null) return;
    this.#group?.kill();
    if (!this.#released || this.#group === null) signalQuietly(this.#status.firstPid, 'SIGKILL');
    this.#child.kill('SIGKILL');
  }

  #release(firstPid: number): void {
    try {
      this.#firstStart = startOf(firstPid);
      if (this.#failed !== null) throw new Error(this.#failed);
      this.#group?.attach(firstPid);
      if (this.#killed) {
        this.kill();
        return;
      }
      this.#released = true;
      this.#block.end('x');
      this.#gate?.end('go\n');
      if (this.#input !== null) this.#stdin.end(this.#input.bytes, this.#input.told);
      this.#input = null;
    } catch (error) {
      this.#failed = messageOf(error);
      console.error(`sandbox ${this.#name}: no limits, not run: ${this.#failed}`);
      this.kill();
    }
  }

  async #end(): Promise<Exit> {
    const { code, signal } = await exitOf(this.#child);
    await this.#allDead();
    this.#over = true;
    // Everyone who could hold the pipes open is dead, so they end as soon as what is in them has been read.
    await Promise.all([this.stdout, this.stderr, this.#statusStream].map(read));
    const reported = this.#status.exitCode();
    const group = this.#group;
    const exit: Exit = {
      code: signal === null ? (reported ?? code) : null,
      signal,
      // bubblewrap ends with 1 and reports no exit code exactly when it could not set up the sandbox.
      commandRan: this.#released && (reported !== null || code !== 1 || this.#killed),
      outOfMemory: group?.outOfMemory() ?? false,
      peakMemoryBytes: group?.peakMemoryBytes() ?? null,
      cpuMs: group?.cpuMs() ?? null,
    };
    // Removing takes 0.2 ms when all is well and nobody needs to wait for it.
    group?.remove().catch((error: unknown) => {
      console.error(`cgroup ${this.#name} could not be removed: ${messageOf(error)}`);
    });
    return exit;
  }

  /** The exit of bubblewrap is the end of the command, not of what it left behind: kill, then wait until nothing is left. */
  async #allDead(): Promise<void> {
    const first = this.#status.firstPid;
    for (let attempt = 0; ; attempt++) {
      if (this.#group !== null && this.#released) {
        this.#group.kill();
        if (this.#group.isEmpty()) return;
      } else {
        // The first process of a PID namespace is dead only after all others. Its number may belong to another process by then.
        if (first === null || this.#firstStart === null || startOf(first) !== this.#firstStart) return;
        signalQuietly(first, 'SIGKILL');
      }
      await pause(Math.min(20, 1 + attempt));
    }
  }

  /** A process that ends before reading everything is told by its exit, not by our failing write. */
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
