import { join } from 'node:path';
import { readLines } from '../client/log-reader.ts';
import { Execution } from '../runner/execution.ts';
import type { Run } from '../runner/driver.ts';
import { OutputGuards } from '../runner/output-guard.ts';
import { recordEnd } from '../runner/record-end.ts';
import { Records } from '../runner/records.ts';
import { StartRefused, type ExecutionEnd, type ExecutionJob, type KnownExecution, type Runtime } from '../types.ts';

/** The part of {@link Runtime} that runs executions. */
export type ExecutionRuntime = Pick<
  Runtime,
  'start' | 'cancel' | 'list' | 'forget' | 'readLog' | 'onEnded' | 'onLog' | 'close'
> & {
  /** Makes one process wait with the imports of this code done. Code that is given later takes its place. */
  prewarm(job: WarmJob): Promise<void>;
};

export type WarmJob = Pick<ExecutionJob, 'code' | 'environment' | 'limits'>;

/** Makes the runs of a {@link LocalRuntime}: as plain processes, or in containers. */
export interface LocalDriver {
  /** @param folder the folder of the execution. @throws when the run cannot be prepared. */
  run(job: ExecutionJob, folder: string): Run;
  /** Takes up what an earlier process has left. */
  takeOver(): Promise<void>;
  /** Makes one process wait with the imports of this code done, where the driver can. */
  prewarm(job: WarmJob): void;
  /** Called after each execution. */
  afterExecution(): void;
  close(): Promise<void>;
}

interface LocalRuntimeOptions {
  /** Folder for executions and work. It belongs to one process at a time. */
  readonly dir: string;
  readonly driver: LocalDriver;
  /** Milliseconds from SIGTERM to the kill of all processes at a cancellation. Default 3,000. */
  readonly cancelGraceMs?: number;
}

/** Runs executions for the local development server, without a runner. Executions end with this process. */
export class LocalRuntime implements ExecutionRuntime {
  readonly #options: LocalRuntimeOptions;
  readonly #records: Records;
  readonly #guards: OutputGuards;
  readonly #running = new Map<string, Execution>();
  readonly #ended = new Set<(end: ExecutionEnd) => void>();
  readonly #grown = new Set<(id: string, bytes: number) => void>();
  readonly #finishing = new Set<Promise<void>>();
  #closed = false;

  constructor(options: LocalRuntimeOptions) {
    this.#options = options;
    this.#records = new Records(join(options.dir, 'executions'));
    this.#guards = new OutputGuards(options.dir);
  }

  /** Records the end of executions that an earlier process has left without one. */
  async takeOver(): Promise<void> {
    await this.#options.driver.takeOver();
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
        ...(job.notices && { notices: job.notices }),
        onLog: (bytes) => {
          for (const listener of this.#grown) listener(executionId, bytes);
        },
      },
      this.#options.driver.run(job, folder),
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
    this.#options.driver.prewarm(job);
  }

  /** Ends all executions and waits for their records. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const execution of this.#running.values()) execution.free();
    await Promise.all(this.#finishing);
    await this.#options.driver.close();
  }

  async #finish(execution: Execution, job: ExecutionJob): Promise<void> {
    const ended = await execution.ended;
    const note = job.note === undefined ? {} : { note: job.note };
    const withNote = (): ExecutionEnd => ({ ...ended, ...note });
    const end = await recordEnd(this.#records, withNote, ended, execution.freed, 0);
    this.#running.delete(execution.executionId);
    for (const listener of this.#ended) listener(end);
    await execution.release();
    if (!this.#closed) this.#options.driver.afterExecution();
  }
}
