import { RuntimeUnavailable, StartRefused, type ExecutionEnd, type Runtime } from '@kethub/runtime';
import { clearOtherPools, clearPools, layOutPools } from '../datapools/index.ts';
import { Problem } from '../http/index.ts';
import { LogCopier, removeStrayCopies } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import { providerEnvironment } from '../provider-tokens/index.ts';
import type { Runnables } from '../services/index.ts';
import type { ExecutionRow } from '../storage/index.ts';
import { Heartbeat, requireWorkerId } from '../workers/index.ts';
import { onCancelled } from './cancel.ts';
import { finishExecution } from './finish.ts';
import { claimPending, endedOf, move, runningOf } from './queries.ts';
import { onPending, referencedPools, unsealSecrets } from './start.ts';
import { ExecutionObserver } from './observe.ts';
import { executionChanged } from './watch.ts';

/** A lost notification, a cancellation through another process or a failed finish is found by looking again. */
const POLL_MS = 1_000;
const START_ATTEMPTS = 5;
const RETRY_MS = 500;

/**
 * Takes pending executions and has the runtime run them, each once. What it runs belongs to its `workerId`, which
 * survives a restart: the next process with the same id and data folder takes over where this one was killed.
 */
export class ExecutionWorker {
  readonly #platform: Platform;
  readonly #runtime: Runtime;
  readonly #runnables: Runnables;
  readonly #workerId: string;
  readonly #capacity: number;
  readonly #heartbeat: Heartbeat;
  readonly #copier: LogCopier;
  /** Executions of this worker that have no final status yet. */
  readonly #running = new Set<string>();
  readonly #observer: ExecutionObserver;
  readonly #finishing = new Map<string, Promise<void>>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #stopped = new AbortController();
  #claiming: Promise<void> | null = null;
  #again = false;
  #poll: NodeJS.Timeout | null = null;

  constructor(platform: Platform, runtime: Runtime, runnables: Runnables) {
    this.#platform = platform;
    this.#runtime = runtime;
    this.#runnables = runnables;
    this.#workerId = requireWorkerId(platform);
    this.#observer = new ExecutionObserver(platform);
    this.#capacity = platform.configuration.maxConcurrentExecutions;
    this.#heartbeat = new Heartbeat(platform, this.#workerId);
    this.#copier = new LogCopier(platform, {
      ids: () => [...this.#running],
      read: (id, fromByte) => runtime.readLog(id, fromByte),
    });
  }

  /** Takes over what an earlier process of this worker left, then claims. */
  async start(): Promise<void> {
    await this.#heartbeat.start();
    this.#unsubscribe.push(() => this.#heartbeat.stop());
    await removeStrayCopies(this.#platform.database);
    this.#copier.start();
    this.#unsubscribe.push(this.#runtime.onLog((id) => this.#copier.grown(id)));
    this.#unsubscribe.push(this.#runtime.onEnded((end) => this.#finish(end)));
    await this.#recover();
    this.#unsubscribe.push(onPending(this.#platform, () => this.#wake()));
    this.#unsubscribe.push(onCancelled(this.#platform, (id) => void this.#cancel(id)));
    this.#poll = setInterval(() => void this.#look(), POLL_MS);
    this.#wake();
  }

  /** Claims no more and waits for what is being written. Running code goes on and is collected by the next process. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    if (this.#poll) clearInterval(this.#poll);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#claiming;
    await this.#copier.stop();
    await Promise.allSettled(this.#finishing.values());
  }

  get running(): number {
    return this.#running.size;
  }

  /** What the database calls RUNNING on this worker and what the runtime knows, brought together. */
  async #recover(): Promise<void> {
    const rows = await runningOf(this.#platform.database, this.#workerId);
    for (const row of rows) {
      this.#running.add(row.id);
      this.#observer.claimed(row, false);
    }
    const known = new Map((await this.#runtime.list()).map((one) => [one.executionId, one]));
    await clearOtherPools(this.#platform, new Set([...this.#running, ...known.keys()]));
    for (const row of rows) {
      // Not known to the runtime: the job was never handed over, so the code has not run.
      if (!known.has(row.id)) void this.#run(row);
    }
    for (const one of known.values()) {
      if (one.state === 'ENDED') this.#finish(one.end);
      else if (!this.#running.has(one.executionId)) await this.#runtime.cancel(one.executionId);
    }
    if (rows.length > 0) this.#platform.log.info({ executions: rows.length }, 'took over running executions');
  }

  #wake(): void {
    if (this.#stopped.signal.aborted) return;
    this.#again = true;
    this.#claiming ??= this.#claim()
      .catch((error: unknown) => this.#platform.log.error({ err: error }, 'could not claim executions'))
      .finally(() => {
        this.#claiming = null;
      });
  }

  async #claim(): Promise<void> {
    while (this.#again && this.#running.size < this.#capacity && !this.#stopped.signal.aborted) {
      this.#again = false;
      await this.#heartbeat.held();
      const { database } = this.#platform;
      const free = this.#capacity - this.#running.size;
      const now = this.#platform.now();
      const rows = await database.write((transaction) =>
        claimPending(database, transaction, this.#workerId, now, free),
      );
      for (const row of rows) {
        this.#running.add(row.id);
        this.#observer.claimed(row, true);
        executionChanged(database, row.id);
        void this.#run(row);
      }
      if (rows.length === free) this.#again = true;
    }
  }

  /** Hands a claimed execution to the runtime. The start is idempotent, so it is tried again when the connection breaks. */
  async #run(row: ExecutionRow): Promise<void> {
    for (let attempt = 1; !this.#stopped.signal.aborted; attempt++) {
      try {
        const job = await this.#job(row);
        await this.#runtime.start(job);
        if (row.sealed_secrets !== null) await this.#eraseSecrets(row.id);
        return;
      } catch (error) {
        const retry =
          error instanceof RuntimeUnavailable || (error instanceof StartRefused && attempt < START_ATTEMPTS);
        this.#platform.log.warn({ execution: row.id, attempt, err: error }, 'could not start an execution');
        if (!retry) return this.#fail(row.id, error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt));
      }
    }
  }

  async #job(row: ExecutionRow) {
    const runnable = await this.#runnables.load(row.service_version_id);
    const pools = referencedPools(row);
    return {
      executionId: row.id,
      code: runnable.code,
      input: row.input ?? (await this.#inputBlob(row)),
      secrets: unsealSecrets(this.#platform, row),
      environment: runnable.environment,
      dataPools: pools ? await layOutPools(this.#platform, row.id, pools) : [],
      // Not part of the environment that a warm worker was started with.
      secretEnvironment: {
        ...(runnable.providerAccessTokens && (await providerEnvironment(this.#platform, row.service_version_id))),
        ...(row.trace_parent !== null && { TRACEPARENT: row.trace_parent }),
      },
      limits: runnable.limits,
    };
  }

  async #inputBlob(row: ExecutionRow): Promise<string> {
    if (row.input_blob === null) throw new Error('The input of a running execution is gone');
    const { stream } = await this.#platform.blobs.get(row.input_blob);
    return Buffer.concat(await stream.toArray()).toString('utf8');
  }

  async #eraseSecrets(id: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.updateTable('executions').set({ sealed_secrets: null }).where('id', '=', id).execute(),
    );
  }

  /** The execution cannot be started at all. */
  async #fail(id: string, error: unknown): Promise<void> {
    const cause = JSON.stringify({ type: 'about:blank', title: 'Could not be started', detail: reasonOf(error) });
    await this.#platform.database.write(async (transaction) => {
      const ended_at = this.#platform.now();
      if (await move(transaction, id, 'FAILED', { cause, ended_at, sealed_secrets: null, log: '' })) return;
      // Cancelled meanwhile: nothing will be added to its log, and whoever follows it must learn that.
      const noLog = transaction.updateTable('executions').set({ log: '' }).where('id', '=', id);
      await noLog.where('log', 'is', null).where('log_blob', 'is', null).execute();
    });
    this.#done(id);
    this.#observer.failed(id);
    executionChanged(this.#platform.database, id);
    await clearPools(this.#platform, id);
  }

  #done(id: string): void {
    this.#running.delete(id);
    this.#wake();
  }

  /** Collects an end once, however often it is told. After a failure it is told again by the next look. */
  #finish(end: ExecutionEnd): void {
    const id = end.executionId;
    if (this.#finishing.has(id)) return;
    const work = finishExecution(this.#platform, this.#runtime, end)
      .then(() => {
        this.#observer.ended(end);
        this.#done(id);
      })
      .catch((error: unknown) =>
        this.#platform.log.error({ execution: id, err: error }, 'could not collect an execution'),
      )
      .finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, work);
  }

  async #look(): Promise<void> {
    try {
      this.#wake();
      for (const id of await endedOf(this.#platform.database, [...this.#running])) await this.#runtime.cancel(id);
      for (const one of await this.#runtime.list()) if (one.state === 'ENDED') this.#finish(one.end);
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'could not look after running executions');
    }
  }

  /** Ends the processes of an execution that was cancelled. When it cannot be told now, the next look does it. */
  async #cancel(id: string): Promise<void> {
    if (!this.#running.has(id)) return;
    await this.#runtime.cancel(id).catch((error: unknown) => {
      this.#platform.log.warn({ execution: id, err: error }, 'could not end a cancelled execution yet');
    });
  }
}

/** For the caller: a Problem says what they can do about it, everything else is for the operator. */
function reasonOf(error: unknown): string {
  if (error instanceof Problem) return error.message;
  return error instanceof StartRefused
    ? 'The sandbox could not be made on this machine. The operator finds the cause in the log.'
    : 'The platform could not prepare the execution. The operator finds the cause in the log.';
}
