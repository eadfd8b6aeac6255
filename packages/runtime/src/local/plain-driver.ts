import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartRefused, type ExecutionJob } from '../types.ts';
import { LocalProcess, type LocalMode, type LocalSpec } from './local-process.ts';
import { LocalRun } from './local-run.ts';
import type { LocalDriver, WarmJob } from './local-runtime.ts';
import { shownText } from './shown-text.ts';

export interface PlainOptions {
  /** Folder for work. It belongs to one process at a time. */
  readonly dir: string;
  readonly mode: LocalMode;
  /** The interpreter, and where debugpy listens, by the time of each start. */
  readonly python: () => string;
  readonly debug?: LocalSpec['debug'];
}

/** Runs executions as plain processes of this user, without a sandbox or limits of memory. */
export class PlainDriver implements LocalDriver {
  readonly #options: PlainOptions;
  #waiting: { key: string; process: LocalProcess } | null = null;
  #wanted: WarmJob | null = null;
  #closed = false;
  #works = 0;

  constructor(options: PlainOptions) {
    this.#options = options;
    rmSync(join(options.dir, 'work'), { recursive: true, force: true });
    mkdirSync(join(options.dir, 'work'), { recursive: true, mode: 0o700 });
  }

  takeOver(): Promise<void> {
    return Promise.resolve(); // processes have ended with the one that made them
  }

  run(job: ExecutionJob, folder: string): LocalRun {
    const { code, secrets, secretEnvironment = {}, dataPools } = job;
    if ('image' in code) throw new StartRefused('A container is not run as a plain process.');
    const spec = this.#specOf(job, null);
    const waiting = this.#waiting;
    const isFit = waiting !== null && dataPools.length === 0 && waiting.key === keyOf(spec);
    if (isFit) this.#waiting = null;
    const process = isFit ? waiting.process : new LocalProcess(this.#workFolder(), spec);
    const names = dataPools.map(({ parameter }) => parameter);
    const header = { secrets, environment: secretEnvironment, dataPools: names };
    const frames = [Buffer.from(JSON.stringify(header)), Buffer.from(job.input)];
    const writable = dataPools.filter((pool) => pool.writable);
    return new LocalRun(process, folder, frames, writable, shownText(code.sourceDir, Object.values(secrets)));
  }

  prewarm(job: WarmJob): void {
    this.#dismiss();
    this.#wanted = job;
    this.afterExecution();
  }

  /** Lets a process wait for the next execution. */
  afterExecution(): void {
    const job = this.#wanted;
    if (job === null || this.#waiting !== null || this.#closed) return;
    if (this.#options.debug || 'image' in job.code) return;
    const spec = this.#specOf({ ...job, dataPools: [] }, job.code.imports);
    const process = new LocalProcess(this.#workFolder(), spec);
    this.#waiting = { key: keyOf(spec), process };
    void process.ended.then(() => {
      if (this.#waiting?.process === process) this.#waiting = null;
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#dismiss();
    return Promise.resolve();
  }

  #specOf(
    { code, environment, dataPools }: Pick<ExecutionJob, 'code' | 'environment' | 'dataPools'>,
    imports: readonly string[] | null,
  ): LocalSpec {
    const { sourceDir, layerDir } = code as Exclude<ExecutionJob['code'], { image: string }>;
    const { mode, python, debug = null } = this.#options;
    return { mode, python: python(), sourceDir, packages: layerDir, environment, dataPools, imports, debug };
  }

  #workFolder(): string {
    const folder = join(this.#options.dir, 'work', `${process.pid}-${++this.#works}`);
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  #dismiss(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    waiting.process.lines.deliverTo(() => undefined);
    waiting.process.signal('SIGKILL');
    void waiting.process.ended.then(() => {
      rmSync(waiting.process.folder, { recursive: true, force: true });
    });
  }
}

function keyOf({ imports: _imports, ...spec }: LocalSpec): string {
  return JSON.stringify(spec);
}
