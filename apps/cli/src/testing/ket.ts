import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

const main = path.join(import.meta.dirname, '../main.ts');

export interface KetOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input, which is closed after it. */
  readonly input?: string;
  /** Gets the process and what it has said so far, whenever it says something. */
  readonly onOutput?: (process: ChildProcess, stdout: string, stderr: string) => void;
}

export interface KetOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  json<T>(): T;
}

/** Runs `ket` as a process of its own, to its end. Its credentials and history are those of `environment` alone. */
export async function ket(args: readonly string[], options: KetOptions): Promise<KetOutcome> {
  // The Node that runs this comes first, also for scripts that ket starts.
  const PATH = `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.folder,
    env: { PATH, HOME: options.folder, KETHUB_CONFIG_DIR: path.join(options.folder, '.ket'), ...options.environment },
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
