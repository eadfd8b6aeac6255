import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readLines } from '../client/log-reader.ts';
import { Execution } from '../runner/execution.ts';
import { OutputGuards } from '../runner/output-guard.ts';
import { recordEnd } from '../runner/record-end.ts';
import { Records } from '../runner/records.ts';
import { StartRefused, type ExecutionEnd, type ExecutionJob, type KnownExecution, type Runtime } from '../types.ts';
import { LocalProcess, type LocalMode, type LocalSpec } from './local-process.ts';
import { LocalRun } from './local-run.ts';

/** The part of {@link Runtime} that runs executions. */
export type ExecutionRuntime = Pick<
  Runtime,
  'start' | 'cancel' | 'list' | 'forget' | 'readLog' | 'onEnded' | 'onLog' | 'close'
> & {
  /** Makes one process wait with the imports of this code done. Code that is given later takes its place. */
  prewarm(job: WarmJob): Promise<void>;
};

type WarmJob = Pick<ExecutionJob, 'code' | 'environment' | 'limits'>;

export interface LocalRuntimeOptions {
  /** Folder for executions and work. It belongs to one process at a time. */
  readonly dir: string;
  readonly mode: LocalMode;
  /** The interpreter, and where debugpy listens, by the time of each start. */
  readonly python: () => string;
  readonly debug?: LocalSpec['debug'];
  /** Milliseconds from SIGTERM to the kill of all processes at a cancellation. Default 3,000. */
  readonly cancelGraceMs?: number;
}

/**
 * Runs executions as plain processes of this user, without a runner, a sandbox or limits of memory: for the local
 * development server. Executions end with this process.
 */
export class LocalRuntime implements ExecutionRuntime {
  readonly #options: LocalRuntimeOptions;
  readonly #records: Records;
  readonly #guards: OutputGuards;
  readonly #running = new Map<string, Execution>();
  readonly #ended = new Set<(end: ExecutionEnd) => void>();
  readonly #grown = new Set<(id: string, bytes: number) => void>();
  readonly #finishing = new Set<Promise<void>>();
  #waiting: { key: string; process: LocalProcess } | null = null;
  #wanted: WarmJob | null = null;
  #closed = false;
  #works = 0;

  constructor(options: LocalRuntimeOptions) {
    this.#options = options;
    rmSync(join(options.dir, 'work'), { recursive: true, force: true });
    mkdirSync(join(options.dir, 'work'), { recursive: true, mode: 0o700 });
    this.#records = new Records(join(options.dir, 'executions'));
    this.#guards = new OutputGuards(options.dir);
  }

  /** Records the end of executions that an earlier process has left without one. */
  async takeOver(): Promise<void> {
    for (const { executionId } of this.#records.withoutEnd()) await this.#records.recordLost(executionId);
  }

  async start(job: ExecutionJob): Promise<'STARTED' | 'ALREADY_KNOWN'> {
    const { executionId, limits } = job;
    if (this.#records.isKnown(executionId)) return 'ALREADY_KNOWN';
    const folder = this.#records.claim(executionId);
    this.#records.keepNote(executionId, job.note ?? '');
    const execution = new Execution(
      {
        executionId,
        folder,
        limits,
        claimed: Promise.resolve(),
        cancelGraceMs: () => this.#options.cancelGraceMs ?? 3_000,
        memoryIsRefused: false,
        guards: this.#guards,
        onLog: (bytes) => {
          for (const listener of this.#grown) listener(executionId, bytes);
        },
      },
      this.#runOf(job, folder),
    );
    this.#running.set(executionId, execution);
    const finished = this.#finish(execution, job).finally(() => this.#finishing.delete(finished));
    this.#finishing.add(finished);
    const early = await execution.settled();
    if (early?.outcome !== 'NOT_STARTED') return 'STARTED';
    await finished;
    throw new StartRefused(execution.refusal);
  }

  async cancel(executionId: string): Promise<void> {
    this.#running.get(executionId)?.cancel();
  }

  async list(): Promise<KnownExecution[]> {
    return this.#records.list((id) => this.#running.get(id)?.startedAt ?? null);
  }

  async forget(executionId: string): Promise<void> {
    if (!this.#running.has(executionId)) this.#records.remove(executionId);
  }

  async readLog(executionId: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
    return readLines(join(this.#records.folder(executionId), 'log.ndjson'), fromByte);
  }

  onEnded(listener: (end: ExecutionEnd) => void): () => void {
    this.#ended.add(listener);
    return () => this.#ended.delete(listener);
  }

  onLog(listener: (executionId: string, bytes: number) => void): () => void {
    this.#grown.add(listener);
    return () => this.#grown.delete(listener);
  }

  async prewarm(job: WarmJob): Promise<void> {
    this.#dismiss();
    this.#wanted = job;
    this.#warm();
  }

  /** Lets a process wait for the next execution. */
  #warm(): void {
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

  /** Ends all executions and waits for their records. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#dismiss();
    for (const execution of this.#running.values()) execution.free();
    await Promise.all(this.#finishing);
  }

  #runOf(job: ExecutionJob, folder: string): LocalRun {
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

  async #finish(execution: Execution, job: ExecutionJob): Promise<void> {
    const ended = await execution.ended;
    const note = job.note === undefined ? {} : { note: job.note };
    const withNote = (): ExecutionEnd => ({ ...ended, ...note });
    const end = await recordEnd(this.#records, withNote, ended, execution.freed, 0);
    this.#running.delete(execution.executionId);
    for (const listener of this.#ended) listener(end);
    await execution.release();
    this.#warm();
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

/** Characters from which on a secret is searched for in the log: a shorter one may be part of a word by chance. */
const SECRET_LENGTH = 6;

/** Gives log lines the paths of the platform, and hides secrets that the program prints. */
function shownText(sourceDir: string, secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter((secret) => secret.length >= SECRET_LENGTH);
  return (text) =>
    hidden.reduce((all, secret) => all.replaceAll(secret, '[redacted]'), text.replaceAll(sourceDir, '/app'));
}

function keyOf({ imports: _imports, ...spec }: LocalSpec): string {
  return JSON.stringify(spec);
}

/** Folders of a virtual environment or an interpreter in which pip puts packages. */
export function sitePackagesIn(prefix: string, version: string): string[] {
  const names = ['lib', 'lib64'].map((lib) => join(prefix, lib, `python${version}`, 'site-packages'));
  return names.filter((name) => existsSync(name) && readdirSync(name).length > 0);
}
