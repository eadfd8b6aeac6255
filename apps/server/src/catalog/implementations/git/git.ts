import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import type { Readable, Writable } from 'node:stream';
import { gitEnvironment, type GitSettings, type PushLimits } from './environment.ts';
import { networkBindings, networkCommand, networkSettings, type GitNetwork } from './network.ts';
import { limitCommand, sandboxCommand, SANDBOX_HOOKS, type GitAccess } from './sandbox.ts';

/** One run of Git in a repository. Names of refs and paths in `args` stand after `--` or `--end-of-options`. */
export interface GitRun {
  /** Path of the repository. */
  readonly repository: string;
  readonly access: GitAccess;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Settings beside those of every process. They stand in the environment, which no other user can read. */
  readonly settings?: GitSettings;
  /** The way to another server. */
  readonly network?: GitNetwork;
  /** Called with pieces of standard error. */
  readonly onMessage?: (text: string) => void;
  /** Milliseconds after which it is killed. Default: an hour. */
  readonly longestMs?: number;
}

export interface GitEnd {
  /** null when a signal ended it. */
  readonly code: number | null;
  /** The end of its standard error. */
  readonly message: string;
}

/** A Git process. */
export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<GitEnd>;
  /** Kills it with all of its children. */
  kill(): void;
}

/** A Git process has failed. The message is for the log. */
export class GitFailure extends Error {
  readonly code: number | null;

  constructor(args: readonly string[], { code, message }: GitEnd) {
    super(`git ${args[0] ?? ''} ended with ${code ?? 'a signal'}: ${message}`);
    this.code = code;
  }
}

export interface GitOptions extends PushLimits {
  /** True if every process runs in a sandbox. */
  readonly sandboxed: boolean;
  /** Folder of the platform's hooks. */
  readonly hooks: string;
  /** Bytes of the largest file that Git may write. */
  readonly fileBytes: number;
}

const CPU_SECONDS = 600;
/** Milliseconds after which any process is killed. */
const LONGEST_MS = 60 * 60 * 1000;
/** Milliseconds after which a read is killed for which somebody waits. */
export const READ_MS = 30_000;
/** Characters of standard error that are kept. */
const MESSAGE_LENGTH = 4_000;
/** Bytes of output that `output` collects by default. */
const OUTPUT_BYTES = 1024 * 1024;

/** Starts Git processes with clean environment and limits, in a sandbox where there is one. */
export class Git {
  readonly #options: GitOptions;
  readonly #running = new Set<GitProcess>();

  constructor(options: GitOptions) {
    this.#options = options;
  }

  get sandboxed(): boolean {
    return this.#options.sandboxed;
  }

  /** Starts Git. A process that could not be started has ended with null. */
  spawn(run: GitRun): GitProcess {
    const { fileBytes, sandboxed } = this.#options;
    const { repository, network } = run;
    const limited = limitCommand({ cpuSeconds: CPU_SECONDS, fileBytes });
    const command = [
      // The limits are those of Git, not of the program before it.
      ...(network
        ? [...this.#sandbox(run), ...networkCommand(network, sandboxed), ...limited]
        : [...limited, ...this.#sandbox(run)]),
      'git',
      ...run.args,
    ];
    const child = spawn(command[0] ?? 'git', command.slice(1), {
      cwd: repository,
      env: this.#environment(run),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, which is killed as a whole.
      detached: true,
    });
    // Without descriptors or processes left, Node makes no pipes.
    if (!child.stdin) {
      child.once('error', () => undefined);
      throw new GitFailure(run.args, { code: null, message: 'no process could be started' });
    }
    const started = track(child, run);
    this.#running.add(started);
    void started.ended.then(() => this.#running.delete(started));
    return started;
  }

  #sandbox({ repository, access, network }: GitRun): readonly string[] {
    const { sandboxed, hooks } = this.#options;
    return sandboxed ? sandboxCommand(repository, hooks, access, network ? networkBindings(network) : []) : [];
  }

  #environment({ environment, settings = [], network }: GitRun): Record<string, string> {
    const { sandboxed, hooks } = this.#options;
    const more = [...(network ? networkSettings(network, sandboxed) : []), ...settings];
    return { ...gitEnvironment(sandboxed ? SANDBOX_HOOKS : hooks, this.#options, more), ...environment };
  }

  /**
   * Runs Git to its end. Returns its output, at most `bytes`. Throws GitFailure when it fails or has more output.
   */
  async output(run: GitRun, input: string | Buffer = '', bytes: number = OUTPUT_BYTES): Promise<Buffer> {
    const child = this.spawn(run);
    child.stdin.end(input);
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytes) child.kill();
    });
    const [out, end] = await Promise.all([buffer(child.stdout), child.ended]);
    if (end.code !== 0) throw new GitFailure(run.args, end);
    return out;
  }

  /** Kills every process, and waits for their ends. */
  async close(): Promise<void> {
    const ends = [...this.#running].map((one) => {
      one.kill();
      return one.ended;
    });
    await Promise.all(ends);
  }
}

function track(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  { onMessage = () => undefined, longestMs = LONGEST_MS }: GitRun,
): GitProcess {
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(-MESSAGE_LENGTH);
    onMessage(text);
  });
  // A process that ends early closes its input. Its exit says why.
  child.stdin.on('error', () => undefined);
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  const timer = setTimeout(kill, longestMs);
  const ended = new Promise<GitEnd>((resolve) => {
    child.once('error', (error) => resolve({ code: null, message: error.message }));
    // Its output may stay unread, so that `close` might never come.
    child.once('exit', (code) => {
      const end = (): void => resolve({ code, message: message.trim() });
      if (child.stderr.closed) end();
      else child.stderr.once('close', end);
    });
  });
  void ended.then(() => clearTimeout(timer));
  return { stdin: child.stdin, stdout: child.stdout, ended, kill };
}
