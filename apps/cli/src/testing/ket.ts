import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { runCommandLine } from '../command-line.ts';
import type { Shell } from '../shell.ts';
import { createOutput, type Output } from '../terminal/output.ts';

const main = path.join(import.meta.dirname, '../main.ts');

export interface KetOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input, which then ends. */
  readonly input?: string;
}

export interface KetProcessOptions extends KetOptions {
  /** Called at each new output, with the process and its output so far. */
  readonly onOutput?: (process: ChildProcess, stdout: string, stderr: string) => void;
}

export interface KetOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  json<T>(): T;
}

/** A shell and an output for functions of commands. What they write goes to `write`, or nowhere. */
export function quietShell(
  folder: string,
  write: (text: string) => boolean = () => true,
): { readonly shell: Shell; readonly output: Output } {
  const stream = { write, isTTY: false, columns: 80 };
  const shell = { environment: environmentOf({ folder }), folder, command: 'ket', exitCode: 0 };
  const output = createOutput({ stdout: stream, stderr: stream, environment: {}, json: false });
  return { shell: shell as unknown as Shell, output };
}

/** Runs `ket` within this process, to its end. It uses the credentials and history of `environment` only. */
export async function ket(args: readonly string[], options: KetOptions): Promise<KetOutcome> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => {
    const decoder = new TextDecoder();
    const write = (chunk: Uint8Array): void => void (written[name] += decoder.decode(chunk, { stream: true }));
    return new Writable({ write: (chunk: Uint8Array, _encoding, done) => (write(chunk), done()) });
  };
  const shell = {
    environment: environmentOf(options),
    folder: options.folder,
    command: 'ket',
    stdin: new PassThrough().end(options.input ?? ''),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    exitCode: 0,
  };
  // Streams that are no terminal have everything that ket uses of a process's streams.
  const code = await runCommandLine(shell as unknown as Shell, args);
  return { code, ...written, json: <T>() => JSON.parse(written.stdout) as T };
}

function environmentOf({ folder, environment }: KetOptions): Record<string, string> {
  // The Node of this process comes first in the PATH, also for scripts that ket starts.
  const PATH = `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  // Compiled code is used again, as by the start scripts: it halves the time of a start.
  const cache = process.env['NODE_COMPILE_CACHE'];
  return {
    PATH,
    HOME: folder,
    KETHUB_CONFIG_DIR: path.join(folder, '.ket'),
    ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }),
    ...environment,
  };
}

/** Runs `ket` as a process of its own, to its end: for signals, and for output before its end. */
export async function ketProcess(args: readonly string[], options: KetProcessOptions): Promise<KetOutcome> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.folder,
    env: environmentOf(options),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    options.onOutput?.(child, stdout, stderr);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    options.onOutput?.(child, stdout, stderr);
  });
  child.stdin.end(options.input ?? '');
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr, json: <T>() => JSON.parse(stdout) as T };
}
