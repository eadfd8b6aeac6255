import { execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { promisify } from 'node:util';
import { messageOf } from '../errors.ts';
import type { CommandHeader } from '../protocol/messages.ts';
import { baseEnvironment } from '../sandbox/bwrap.ts';
import { prepare } from '../sandbox/launch.ts';
import { StartRefused, type Cause, type LogLine, type SandboxedOutcome } from '../types.ts';
import type { RunnerContext } from './context.ts';
import { OutputLines } from './log-file.ts';
import { limitOfExit, runTimeCause } from './outcome.ts';

/** Bytes kept of a command's standard output. Further bytes are dropped. */
const STDOUT_BYTES = 4 * 1024 * 1024;
const ABORTED: Cause = { type: 'CommandAborted', title: 'Aborted', detail: 'It was ended from outside.' };
const run = promisify(execFile);

/** Runs our own tools on other people's code (pip, inspection), in the same sandbox as an execution. */
export class Commands {
  readonly #context: RunnerContext;
  readonly #running = new Set<AbortController>();
  #started = 0;

  constructor(context: RunnerContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#running.size;
  }

  endAll(): void {
    for (const abort of this.#running) abort.abort();
  }

  /** @throws StartRefused when the sandbox could not be made. */
  async run(
    request: CommandHeader,
    input: Buffer,
    onLine: (line: LogLine) => void,
    abort: AbortController,
  ): Promise<SandboxedOutcome> {
    const uid = this.#context.identities.take();
    const writable = request.binds.filter((bind) => bind.writable).map(({ from }) => from);
    this.#running.add(abort);
    try {
      if (uid !== null) await give(writable, uid);
      return await this.#run(request, input, onLine, abort, uid);
    } catch (error) {
      throw new StartRefused(messageOf(error));
    } finally {
      try {
        await takeBack(writable, uid !== null);
      } finally {
        this.#running.delete(abort);
        this.#context.identities.release(uid);
      }
    }
  }

  async #run(
    request: CommandHeader,
    input: Buffer,
    onLine: (line: LogLine) => void,
    { signal }: AbortController,
    uid: number | null,
  ): Promise<SandboxedOutcome> {
    const { limits } = request;
    if (signal.aborted) return { exitCode: null, cause: ABORTED, stdout: '' };
    const layout = {
      mounts: [
        ...this.#context.pythonMounts(request.python).mounts,
        ...request.binds.map(({ from, to, writable }) => {
          const mount = { from: this.#context.reachable(from), to, writable };
          return writable ? mount : { ...mount, overlay: 'ONCE' as const };
        }),
      ],
      tmpBytes: limits.tmpBytes,
      workingDirectory: request.workingDirectory ?? '/tmp',
      environment: { ...baseEnvironment(limits.cpus), ...request.environment },
      network: request.network,
    };
    const sandbox = prepare(this.#context, {
      name: `command-${++this.#started}`,
      uid,
      command: request.command,
      network: request.network,
      rlimits: this.#context.cgroups === null ? limits : null,
      fileBytes: limits.fileBytes,
      resultFd: null,
      reportsUsage: false,
      reportsReady: false,
    });
    try {
      sandbox.begin(layout, limits);
    } catch (error) {
      sandbox.kill();
      throw error;
    }
    let ending: Cause | null = null;
    const end = (cause: Cause): void => {
      ending ??= cause;
      sandbox.kill();
    };
    const runTime = setTimeout(() => {
      end(runTimeCause(limits));
    }, limits.runTimeMs);
    const onAbort = (): void => {
      end(ABORTED);
    };
    signal.addEventListener('abort', onAbort);
    const stdout = capture(sandbox.stdout);
    const lines = boundedLines(limits.logBytes, onLine);
    const output = new OutputLines(sandbox.stdout, sandbox.stderr);
    output.deliverTo(lines.take);
    sandbox.send(input);
    const exit = await sandbox.ended;
    clearTimeout(runTime);
    signal.removeEventListener('abort', onAbort);
    if (!exit.commandRan && ending === null) throw new Error(lines.first().trim() || 'the sandbox could not be made');
    const cause = ending ?? limitOfExit(exit, limits);
    return { exitCode: cause === null ? exit.code : null, cause, stdout: stdout() };
  }
}

function capture(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes >= STDOUT_BYTES) return;
    chunks.push(chunk.subarray(0, STDOUT_BYTES - bytes));
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function boundedLines(
  limit: number,
  onLine: (line: LogLine) => void,
): { take: (line: LogLine) => void; first: () => string } {
  let bytes = 0;
  let first = '';
  return {
    take(line) {
      if (bytes > limit) return;
      if (first.length < 1_000) first += `${line.message}\n`;
      bytes += Buffer.byteLength(line.message) + 1;
      if (bytes <= limit) onLine(line);
      else
        onLine({
          ...line,
          severity: 'WARNING',
          message: `The log has reached its limit of ${limit} bytes. What comes after is not shown.`,
        });
    },
    first: () => first,
  };
}

/** Gives folders to a user. Neither chown -R nor chmod -R follows links below a folder. */
async function give(folders: readonly string[], uid: number): Promise<void> {
  for (const folder of folders) {
    if (lstatSync(folder).isSymbolicLink()) throw new Error(`${folder} is a link; it must be the folder itself`);
    await run('/bin/chown', ['-R', '-h', `${uid}:${uid}`, '--', folder], { env: {} });
  }
}

/** Takes folders back: they belong to us again, other sandboxes can read them and none can change them. */
async function takeBack(folders: readonly string[], changeOwner: boolean): Promise<void> {
  for (const folder of folders) {
    if (changeOwner) await run('/bin/chown', ['-R', '-h', '0:0', '--', folder], { env: {} });
    await run('/bin/chmod', ['-R', 'a-st,u=rwX,go=rX', '--', folder], { env: {} });
  }
}
