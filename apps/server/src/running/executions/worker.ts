import { EngineUnavailable, RuntimeUnavailable, StartRefused, type Runtime } from '@kethub/runtime';
import { clearOtherPools } from '../../catalog/datapools/index.ts';
import { LogCopier, removeStrayCopies } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Runnables } from '../../catalog/services/index.ts';
import { isOutage, type ExecutionRow } from '../../foundation/storage/index.ts';
import {
  capacityOf,
  Heartbeat,
  needsOfRow,
  requireWorkerId,
  type Capacity,
  type ContainerWatch,
  type Needs,
} from '../../foundation/workers/index.ts';
import { onCancelled } from './cancel.ts';
import { EndCollector } from './end-collector.ts';
import { onEndedByOperator } from './end-execution.ts';
import { failExecution, forgetCancelled, wasRefused } from './fail.ts';
import { jobOf } from './job.ts';
import { endedOf, promisedTo, runningIdsOf, runningOf, uncollectedOf } from './queries.ts';
import { Claims } from './schedule/index.ts';
import { onPending } from './accept.ts';
import { ExecutionObserver } from './observe.ts';
import { executionChanged } from './watch.ts';

/** A lost notification, a cancellation through another process or a failed finish is found by looking again. */
const POLL_MS = 1_000;
const START_ATTEMPTS = 5;
/** An engine that is restarted is away for some seconds. */
const CONTAINER_START_ATTEMPTS = 12;
const RETRY_MS = 500;
/** One that has ended for its caller, and whose processes are not told to have ended for so long, in milliseconds, is freed. */
const OVERDUE_MS = 60_000;
/** So long, in milliseconds, the runtime has to free a place; then the place is free. */
const FREED_MS = 10_000;

/**
 * Takes pending executions and has the runtime run them, each once. What it runs belongs to its `workerId`, which
 * survives a restart: the next process with the same id and data folder takes over where this one was killed.
 */
export class ExecutionWorker {
  readonly #platform: Platform;
  readonly #runtime: Runtime;
  readonly #runnables: Runnables;
  readonly #containers: ContainerWatch;
  readonly #workerId: string;
  readonly #capacity: Capacity;
  readonly #claims: Claims;
  readonly #heartbeat: Heartbeat;
  readonly #copier: LogCopier;
  /** Executions that the runtime has not ended or that are not collected yet, and what each was promised. */
  readonly #running = new Map<string, Needs>();
  readonly #observer: ExecutionObserver;
  readonly #ends: EndCollector;
  /** Since when each has been looked after that has ended for its caller, and not here. */
  readonly #overdue = new Map<string, number>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #stopped = new AbortController();
  #claiming: Promise<void> | null = null;
  #again = false;
  /** How often it was claimed. */
  #claimed = 0;
  #poll: NodeJS.Timeout | null = null;

  constructor(platform: Platform, runtime: Runtime, runnables: Runnables, containers: ContainerWatch) {
    this.#platform = platform;
    this.#runtime = runtime;
    this.#runnables = runnables;
    this.#containers = containers;
    this.#workerId = requireWorkerId(platform);
    this.#observer = new ExecutionObserver(platform);
    this.#ends = new EndCollector(platform, runtime, (end) => {
      this.#observer.ended(end);
      this.#done(end.executionId);
    });
    this.#capacity = capacityOf(platform.configuration.capacity);
    this.#claims = new Claims(platform);
    this.#heartbeat = new Heartbeat(platform, this.#workerId, this.#capacity, containers);
    this.#copier = new LogCopier(platform, {
      ids: () => [...this.#running.keys()],
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
    this.#unsubscribe.push(this.#runtime.onEnded((end) => this.#ends.collect(end)));
    await this.#recover();
    this.#unsubscribe.push(onPending(this.#platform, () => this.#wake()));
    this.#unsubscribe.push(onCancelled(this.#platform, (id) => void this.#cancel(id)));
    this.#unsubscribe.push(onEndedByOperator(this.#platform, (id) => void this.#free(id)));
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
    await this.#ends.settled();
  }

  get running(): number {
    return this.#running.size;
  }

  /** What the database calls RUNNING on this worker and what the runtime knows, brought together. */
  async #recover(): Promise<void> {
    const rows = await runningOf(this.#platform.database, this.#workerId);
    for (const row of rows) {
      this.#running.set(row.id, needsOfRow(row));
      this.#observer.claimed(row, false);
    }
    const known = new Map((await this.#runtime.list()).map((one) => [one.executionId, one]));
    await clearOtherPools(this.#platform, new Set([...this.#running.keys(), ...known.keys()]));
    for (const row of rows) {
      // Not known to the runtime: the job was never handed over, so the code has not run.
      if (!known.has(row.id)) void this.#run(row);
    }
    for (const id of await uncollectedOf(this.#platform.database, this.#workerId))
      if (!known.has(id)) await forgetCancelled(this.#platform, id);
    for (const one of known.values()) {
      if (one.state === 'ENDED') this.#ends.collect(one.end);
      else if (!this.#running.has(one.executionId)) await this.#endCancelled(one.executionId);
    }
    if (rows.length > 0) this.#platform.log.info({ executions: rows.length }, 'took over running executions');
  }

  /** Cancelled while no process of this worker lived: its code still runs, and still takes what it was promised. */
  async #endCancelled(id: string): Promise<void> {
    const row = await promisedTo(this.#platform.database, id);
    if (row) this.#running.set(id, needsOfRow(row));
    await this.#runtime.cancel(id);
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
    const { maxConcurrentExecutions } = this.#platform.configuration;
    while (this.#again && !this.#stopped.signal.aborted) {
      this.#again = false;
      const places = maxConcurrentExecutions - this.#running.size;
      if (places <= 0) return;
      // Places that were freed before an end could be collected: what waits on the disk for that is bounded.
      if (this.#ends.ids.filter((id) => !this.#running.has(id)).length >= maxConcurrentExecutions) return;
      await this.#heartbeat.ensureAlive();
      const promised = this.#running;
      this.#claimed += 1;
      const containers = this.#containers.usable;
      const offer = { workerId: this.#workerId, capacity: this.#capacity, containers, promised, places };
      const rows = await this.#claims.claim(offer);
      for (const row of rows) {
        this.#running.set(row.id, needsOfRow(row));
        this.#observer.claimed(row, true);
        executionChanged(this.#platform.database, row.id);
        void this.#run(row);
      }
      // There may be more of the same queues.
      if (rows.length > 0) this.#again = true;
    }
  }

  /**
   * Hands a claimed execution to the runtime. The start is idempotent: it is tried again when the connection to the runner
   * breaks, and for as long as the database or the disk is away.
   */
  async #run(row: ExecutionRow): Promise<void> {
    const claimed = this.#running.get(row.id);
    let attempts = START_ATTEMPTS;
    for (let attempt = 1; !this.#stopped.signal.aborted; attempt++) {
      try {
        const job = await jobOf(this.#platform, this.#runnables, row);
        if ('image' in job.code) attempts = CONTAINER_START_ATTEMPTS;
        // A start without an answer may have been one, whose end is collected by now: once that is forgotten, the runtime
        // would take the next start for the first.
        if (this.#running.get(row.id) !== claimed || this.#ends.has(row.id)) return;
        await this.#runtime.start(job);
        if (row.sealed_secrets !== null) await this.#eraseSecrets(row.id);
        return;
      } catch (error) {
        this.#platform.log.warn({ execution: row.id, attempt, err: error }, 'could not start an execution');
        const again = isOutage(error) || error instanceof RuntimeUnavailable;
        if (error instanceof EngineUnavailable) attempts = CONTAINER_START_ATTEMPTS;
        const refused = wasRefused(error) && attempt < attempts;
        if (error instanceof StartRefused) this.#runnables.doubt(row.service_version_id);
        if (!again && !refused && (await this.#fail(row.id, error))) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS * Math.min(attempt, START_ATTEMPTS)));
      }
    }
  }

  async #eraseSecrets(id: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.updateTable('executions').set({ sealed_secrets: null }).where('id', '=', id).execute(),
    );
  }

  /** The execution cannot be started at all. False when that could not be noted. */
  async #fail(id: string, reason: unknown): Promise<boolean> {
    try {
      await failExecution(this.#platform, id, reason);
    } catch (error) {
      this.#platform.log.error({ execution: id, err: error }, 'could not note that an execution cannot be started');
      return false;
    }
    this.#done(id);
    this.#observer.failed(id);
    return true;
  }

  #done(id: string): void {
    this.#running.delete(id);
    this.#overdue.delete(id);
    this.#wake();
  }

  /** Frees the place of an execution, whatever holds it: its code, the recording of its end, or the collecting. */
  async #free(id: string): Promise<void> {
    if (!this.#running.has(id) && !this.#ends.has(id)) return;
    this.#platform.log.warn({ execution: id }, 'frees the place of an execution');
    setTimeout(() => this.#release(id), FREED_MS).unref();
    await this.#runtime.end(id).catch((error: unknown) => {
      this.#platform.log.error({ execution: id, err: error }, 'the runtime could not free an execution');
    });
    this.#ends.free(id);
  }

  #release(id: string): void {
    this.#overdue.delete(id);
    if (!this.#running.delete(id)) return;
    this.#platform.log.error({ execution: id }, 'freed the place of an execution whose end is not collected');
    this.#wake();
  }

  async #look(): Promise<void> {
    try {
      this.#wake();
      await this.#takeUp();
      for (const id of this.#ends.overdue) this.#release(id);
      for (const id of await endedOf(this.#platform.database, [...this.#running.keys()])) await this.#endOverdue(id);
      this.#ends.again();
      for (const one of await this.#runtime.list()) if (one.state === 'ENDED') this.#ends.collect(one.end);
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'could not look after running executions');
    }
  }

  /**
   * Begins with what was claimed, but of which the answer of the database was lost on its way. What this process knows, or
   * knew when the database was asked, is not that; and it is not asked while a claim is under way.
   */
  async #takeUp(): Promise<void> {
    if (this.#claiming) return;
    const claimed = this.#claimed;
    const known = new Set([...this.#running.keys(), ...this.#ends.ids]);
    const ids = await runningIdsOf(this.#platform.database, this.#workerId);
    if (this.#claimed !== claimed || ids.every((id) => known.has(id))) return;
    const rows = await runningOf(this.#platform.database, this.#workerId);
    if (this.#claimed !== claimed) return;
    for (const row of rows) {
      if (known.has(row.id) || this.#running.has(row.id)) continue;
      this.#platform.log.warn({ execution: row.id }, 'took up an execution whose claim was not confirmed');
      this.#running.set(row.id, needsOfRow(row));
      void this.#run(row);
    }
  }

  /** It has ended for its caller, and its code may still run. */
  async #endOverdue(id: string): Promise<void> {
    if (this.#ends.has(id)) return;
    const since = this.#overdue.get(id) ?? performance.now();
    this.#overdue.set(id, since);
    if (performance.now() - since < OVERDUE_MS) await this.#runtime.cancel(id);
    else await this.#free(id);
  }

  /** Ends the processes of an execution that was cancelled. When it cannot be told now, the next look does it. */
  async #cancel(id: string): Promise<void> {
    if (!this.#running.has(id)) return;
    await this.#runtime.cancel(id).catch((error: unknown) => {
      this.#platform.log.warn({ execution: id, err: error }, 'could not end a cancelled execution yet');
    });
  }
}
