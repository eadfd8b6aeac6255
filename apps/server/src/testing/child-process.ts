import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { logOutput } from './log.ts';

const MAIN = path.resolve(import.meta.dirname, '../main.ts');
/** Milliseconds for a start. Seven processes that start together on two busy cores take more than a minute. */
const START_MS = 180_000;

export type Settings = Readonly<Record<string, string>>;

/** The program in a separate process, with these settings only. */
export class KethubProcess {
  readonly #settings: Settings;
  /** Address of the port at which it answers whether it is ready. */
  readonly origin: string;
  #program: string;
  #process: ChildProcess;
  #errors = '';

  /**
   * @param port the port at which the process answers whether it is ready.
   * @param program the main file of another version.
   */
  constructor(settings: Settings, port: number, program = MAIN) {
    this.#settings = settings;
    this.#program = program;
    this.origin = `http://127.0.0.1:${port}`;
    this.#process = this.#spawn();
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Resolves when the process is ready. Rejects with its standard error when it has ended. */
  async ready(): Promise<void> {
    const end = performance.now() + START_MS;
    while (performance.now() < end) {
      if (this.#hasEnded()) throw new Error(`The process has ended: ${this.#errors}`);
      const answer = await fetch(`${this.origin}/ready`).catch(() => null);
      if (answer?.status === 200) return;
      await pause(20);
    }
    throw new Error('The process did not become ready within three minutes');
  }

  /** Ends the process: with SIGTERM as an operator does, with SIGKILL as a crash does. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.#hasEnded()) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exit;
  }

  /** The standard error of the process and of those before its restarts. */
  get errors(): string {
    return this.#errors;
  }

  /** Suspends the process for this time, as a sleeping machine does. */
  async standStill(milliseconds: number): Promise<void> {
    this.#process.kill('SIGSTOP');
    await pause(milliseconds);
    this.#process.kill('SIGCONT');
  }

  /** Restarts the process with the same settings, also as another version. */
  async restart(program = this.#program): Promise<void> {
    await this.end();
    this.#program = program;
    this.#process = this.#spawn();
    await this.ready();
  }

  /** The standard error of the process, once it has ended by itself. */
  async refusal(): Promise<string> {
    if (!this.#hasEnded()) await once(this.#process, 'close');
    return this.#errors;
  }

  #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  #spawn(): ChildProcess {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(KETHUB_|DATABASE_URL$)/.test(name));
    const child = spawn(process.execPath, [this.#program], {
      env: { ...Object.fromEntries(inherited), KETHUB_SANDBOX_ROOT: 'machine', ...this.#settings },
      stdio: ['ignore', logOutput(), 'pipe'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    return child;
  }
}
