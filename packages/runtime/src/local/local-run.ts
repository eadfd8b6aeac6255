import { renameSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Exit } from '../sandbox/sandbox.ts';
import type { Run } from '../runner/driver.ts';
import type { LineSink } from '../runner/log-file.ts';
import { keepWritten, type Written } from '../runner/result.ts';
import type { DataPoolMount, Limits } from '../types.ts';
import type { LocalProcess } from './local-process.ts';

/** Milliseconds in which a process that cannot be started shows it. */
const REFUSAL_MS = 100;

/** A run as a plain process of this machine, without a sandbox: for people who develop a service on their own machine. */
export class LocalRun implements Run {
  readonly ended: Promise<Exit>;
  readonly settled = pause(REFUSAL_MS, null, { ref: false });
  readonly resultIsOptional = false;
  readonly refusal = 'The program could not be started';
  readonly uid = null;
  readonly pools: readonly DataPoolMount[];
  readonly #process: LocalProcess;
  readonly #frames: readonly Buffer[];
  readonly #folder: string;
  readonly #shown: (text: string) => string;

  /**
   * @param folder the folder of the execution.
   * @param frames the header of the job and its input.
   * @param shown replaces paths of this machine in the log by those that a program has on the platform.
   */
  constructor(
    process: LocalProcess,
    folder: string,
    frames: readonly Buffer[],
    pools: readonly DataPoolMount[],
    shown: (text: string) => string,
  ) {
    this.pools = pools;
    this.#process = process;
    this.#folder = folder;
    this.#frames = frames;
    this.#shown = shown;
    this.ended = process.ended;
  }

  get pid(): number {
    return this.#process.pid;
  }

  get output(): string {
    return this.#process.output;
  }

  processes(): readonly number[] {
    return this.#process.processes();
  }

  follow(sink: LineSink): void {
    this.#process.lines.deliverTo((line) => {
      sink({ ...line, message: this.#shown(line.message) });
    });
  }

  drop(): void {
    this.#process.lines.drop();
  }

  start(): void {
    this.#process.send(this.#frames);
  }

  terminate(): void {
    this.#process.signal('SIGTERM');
  }

  kill(): void {
    this.#process.signal('SIGKILL');
  }

  abandon(): void {
    this.kill();
  }

  tookJob(): boolean {
    return this.#process.tookInput;
  }

  async readResult({ resultBytes }: Limits): Promise<Written> {
    renameSync(this.#process.output, `${this.#folder}/output`);
    return keepWritten(`${this.#process.folder}/written`, `${this.#folder}/result.json`, resultBytes);
  }

  async release(): Promise<void> {
    rmSync(this.#process.folder, { recursive: true, force: true });
  }
}
