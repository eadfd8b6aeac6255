import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, cpSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { OutputLines } from '../runner/log-file.ts';
import type { Exit } from '../sandbox/sandbox.ts';
import { signalQuietly } from '../sandbox/processes.ts';
import type { DataPoolMount } from '../types.ts';
import { PYTHON_SIDE } from '../version.ts';
import { inNamespace } from './namespace.ts';

/**
 * NAMESPACE: `/var/runtime` is a folder that only the program sees (Linux). PATHS: Python maps paths below
 * `/var/runtime` to a folder, on any POSIX system.
 */
export type LocalMode = 'NAMESPACE' | 'PATHS';

/** The values that a process of a service is made for. */
export interface LocalSpec {
  readonly mode: LocalMode;
  /** Path of the interpreter. */
  readonly python: string;
  readonly sourceDir: string;
  /** `site-packages` of its environment; null for none. */
  readonly packages: string | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly dataPools: readonly DataPoolMount[];
  /** Modules that are imported before the job comes; null for a process that is not kept waiting. */
  readonly imports: readonly string[] | null;
  /** Address at which debugpy listens, and the folder that holds it where the environment does not. */
  readonly debug: { readonly port: number; readonly packages: string | null } | null;
}

/** Milliseconds between two looks for processes that are left. */
const LOOK_MS = 50;

let started = 0;

/** A process of this machine that runs one execution of a service, or waits for it. It runs as the user of ket. */
export class LocalProcess {
  readonly lines: OutputLines;
  readonly ended: Promise<Exit>;
  /** The folder behind `/var/runtime`, with `output`, and `written` beside it. */
  readonly folder: string;
  readonly spec: LocalSpec;
  readonly #child: ChildProcess;
  /** Variable in the environment of all its processes, by which those are found that have left its process group. */
  readonly #mark = `KET_SERVE_RUN=${process.pid}-${++started}-${Date.now()}`;
  #tookInput = false;

  /** @throws when a data pool cannot be laid out. */
  constructor(folder: string, spec: LocalSpec) {
    this.folder = folder;
    this.spec = spec;
    for (const name of ['runtime/output', 'runtime/input', 'runtime/datapool', 'stage'])
      mkdirSync(`${folder}/${name}`, { recursive: true, mode: 0o700 });
    for (const pool of spec.dataPools) layOut(pool, `${folder}/runtime/datapool/${pool.parameter}`);
    const written = openSync(`${folder}/written`, 'a', 0o600);
    const ready = spec.imports === null ? [] : ['ignore' as const];
    try {
      const [program, ...args] = this.#command();
      this.#child = spawn(program ?? '', args, {
        cwd: `${folder}/runtime/output`,
        env: this.#environment(),
        // A process group of its own, so that all of it can be ended.
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe', written, ...ready],
      });
    } finally {
      closeSync(written);
    }
    const { stdin, stdout, stderr } = this.#child as ChildProcess & {
      stdin: Writable;
      stdout: Readable;
      stderr: Readable;
    };
    stdin.on('error', () => undefined); // it has ended before it read its job
    this.lines = new OutputLines(stdout, stderr);
    this.ended = this.#end();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return `${this.folder}/runtime/output`;
  }

  /** False when the job was never handed over. */
  get tookInput(): boolean {
    return this.#tookInput;
  }

  /** Hands over the frames of the job, after which the program runs. */
  send(frames: readonly Buffer[]): void {
    this.#tookInput = true;
    for (const frame of frames) {
      this.#child.stdin?.write(`${frame.length}\n`);
      this.#child.stdin?.write(frame);
    }
    this.#child.stdin?.end();
  }

  processes(): number[] {
    return this.pid === 0 ? [] : [this.pid, ...this.#marked().filter((pid) => pid !== this.pid)];
  }

  signal(signal: NodeJS.Signals): void {
    if (this.pid === 0) return;
    signalQuietly(-this.pid, signal);
    for (const pid of this.#marked()) signalQuietly(pid, signal);
  }

  #command(): string[] {
    const { mode, python, sourceDir, packages, imports, debug } = this.spec;
    const { folder } = this;
    const options = [
      ['--app', sourceDir],
      ['--deps', packages ?? `${folder}/stage`],
      ['--bridge', 'off'],
      ...(mode === 'PATHS' ? [['--paths', `${folder}/runtime`]] : []),
      ...(imports !== null && imports.length > 0 ? [['--import', imports.slice(0, 500).join(',')]] : []),
      ...(debug === null ? [] : [['--debug', String(debug.port)]]),
      ...(debug?.packages ? [['--debug-packages', debug.packages]] : []),
    ].flat();
    const command = [python, '-I', '-S', '-u', '-B', `${PYTHON_SIDE}/execute.py`, ...options];
    return mode === 'PATHS'
      ? command
      : inNamespace({ runtime: `${folder}/runtime`, stage: `${folder}/stage` }, command);
  }

  #environment(): Record<string, string> {
    const root = this.spec.mode === 'PATHS' ? `${this.folder}/runtime` : '/var/runtime';
    const [name = '', value = ''] = this.#mark.split('=');
    return {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: process.env['HOME'] ?? '/tmp',
      LANG: 'C.UTF-8',
      ...(process.env['SSL_CERT_FILE'] !== undefined && { SSL_CERT_FILE: process.env['SSL_CERT_FILE'] }),
      // qhub-commons reads its folders from these.
      OUTPUT_DIRECTORY: `${root}/output`,
      INPUT_DIRECTORY: `${root}/input`,
      DATAPOOL_DIRECTORY: `${root}/datapool`,
      ...this.spec.environment,
      [name]: value,
    };
  }

  async #end(): Promise<Exit> {
    const child = this.#child;
    let failure: string | null = null;
    const over = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ code, signal });
      });
      child.once('error', (error) => {
        failure = error.message;
        resolve({ code: null, signal: null });
      });
    });
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => {
        resolve();
      });
      child.once('error', () => {
        resolve();
      });
    });
    const { code, signal } = await over;
    if (failure !== null) {
      const message = `Python could not be started: ${failure as string}`;
      this.lines.note({ timestamp: new Date().toISOString(), severity: 'ERROR', message });
    }
    while (this.pid !== 0 && this.#killLeft()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    await closed;
    return {
      code,
      signal,
      commandRan: failure === null,
      outOfMemory: false,
      peakMemoryBytes: null,
      cpuMs: null,
    };
  }

  /** Kills what the program has left. Returns whether there was anything. */
  #killLeft(): boolean {
    const group = isAlive(-this.pid);
    if (group) signalQuietly(-this.pid, 'SIGKILL');
    const left = this.#marked();
    for (const pid of left) signalQuietly(pid, 'SIGKILL');
    return group || left.length > 0;
  }

  /** Processes with our mark in their environment, where the machine shows it. */
  #marked(): number[] {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => environmentOf(pid).includes(this.#mark));
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // gone, or of another user
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A writable pool is a copy already, made by whoever starts the execution. */
function layOut({ parameter, path, writable }: DataPoolMount, at: string): void {
  if (!/^[^/\0]+$/.test(parameter) || parameter.startsWith('.')) throw new Error(`"${parameter}" cannot be a folder.`);
  if (writable) symlinkSync(path, at);
  else cpSync(path, at, { recursive: true, dereference: true });
}
