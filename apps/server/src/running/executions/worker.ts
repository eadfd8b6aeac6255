import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable, RuntimeUnavailable, StartRefused, type Runtime } from '@kethub/runtime';
import { clearOtherPools } from '../../catalog/datapools/index.ts';
import { LogCopier, removeStrayCopies } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Runnables } from '../../catalog/services/index.ts';
import { isOutage, isStoreAway, type ExecutionRow } from '../../foundation/storage/index.ts';
import {
  capacityOf,
  CLAIMING,
  Heartbeat,
  needsOfRow,
  requireWorkerId,
  unlessClaiming,
  type Capacity,
  type ContainerWatch,
  type Needs,
} from '../../foundation/workers/index.ts';
import { onCancelled } from './cancel.ts';
import { DelayedStarts } from './delayed-starts.ts';
import { EndCollector } from './end-collector.ts';
import { onEndedByOperator } from './end-execution.ts';
import { failExecution, forgetCancelled, wasRefused } from './fail.ts';
import { jobOf } from './job.ts';
import { endedOf, resourcesOf, runningOf, uncollectedOf } from './queries.ts';
import { Claims, queuesWait } from './schedule/index.ts';
import { onPending } from './accept.ts';
import { ExecutionObserver } from './observe.ts';
import { executionChanged, onExecutionChanged } from './watch.ts';

/** Milliseconds between polls, which find cancellations by other processes and ends not recorded yet. */
const POLL_MS = 1_000;
/** Most milliseconds between them in a large installation. Without executions no poll asks the database. */
const LONGEST_POLL_MS = 2_000;
/** Attempts to start an execution that the runtime refuses; then it fails. */
const START_ATTEMPTS = 5;
/** Attempts to start a container; then the execution fails. An engine that restarts is away for some seconds. */
const CONTAINER_START_ATTEMPTS = 12;
/** Milliseconds before the second attempt; they grow with each. */
const RETRY_MS = 500;
/** Milliseconds after which the slot of an execution is freed that has ended for its caller, but not in the runtime. */
const OVERDUE_MS = 60_000;
/** Milliseconds that the runtime has to end an execution; then its slot is freed in any case. */
const FREED_MS = 10_000;
/** The line in the log of an execution that waits for its input, or for files of its data pools. */
const STORE_IS_AWAY = 'The store of files does not answer. The program starts when it does.';
/** Milliseconds between looks at what still runs, in a worker that ends. */
const FINISH_POLL_MS = 100;

/**
 * Claims pending executions and has the runtime run each once. Running executions belong to the `workerId`, which
 * survives a restart: the next process with the same id and data folder takes them over.
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
  /** The logs of the executions of this worker. */
  readonly logs: DelayedStarts;
  /** Executions that the runtime has not ended, or whose end is not collected yet, with the resources given to each. */
  readonly #running = new Map<string, Needs>();
  readonly #observer: ExecutionObserver;
  readonly #ends: EndCollector;
  /** Time at which each execution was first found that has ended for its caller, but still runs here. */
  readonly #overdue = new Map<string, number>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #stopped = new AbortController();
  #isFinishing = false;
  #claiming: Promise<void> | null = null;
  /** Another claim follows the one that is under way. */
  #again = false;
  /** The next claim only follows what others hear of as well. */
  #isHint = true;
  /** The last claim failed, so it may have had no answer. */
  #isUnsure = false;
  /** Accepted executions that this worker has heard of, and that no worker has started yet. */
  readonly #news = new Set<string>();
  #listening: NodeJS.Timeout | null = null;

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
    this.logs = new DelayedStarts(runtime);
    this.#copier = new LogCopier(platform, {
      ids: () => [...this.#running.keys()],
      read: (id, fromByte) => this.logs.readLog(id, fromByte),
    });
  }

  /** Takes over the executions of an earlier process of this worker, then claims new ones. */
  async start(): Promise<void> {
    await this.#heartbeat.start();
    this.#unsubscribe.push(() => this.#heartbeat.stop());
    await removeStrayCopies(this.#platform.database);
    this.#copier.start();
    this.#unsubscribe.push(this.#runtime.onLog((id) => this.#copier.grown(id)));
    this.#unsubscribe.push(this.#runtime.onEnded((end) => this.#ends.collect(end)));
    await this.#recover();
    this.#unsubscribe.push(onPending(this.#platform, (id) => this.#heard(id)));
    this.#unsubscribe.push(onExecutionChanged(this.#platform.database, (id) => void this.#news.delete(id)));
    this.#unsubscribe.push(onCancelled(this.#platform, (id) => void this.#cancel(id)));
    this.#unsubscribe.push(onEndedByOperator(this.#platform, (id) => void this.#free(id)));
    this.#unsubscribe.push(
      this.#platform.workPoll.add({
        due: unlessClaiming(this.#platform.database, queuesWait),
        polled: (due) => due === null || (due === CLAIMING && this.#platform.pace.isOneOfMany) || this.#hint(),
      }),
    );
    this.#unsubscribe.push(this.#platform.pace.every(POLL_MS, () => void this.#poll(), LONGEST_POLL_MS));
    this.#wake();
  }

  /**
   * Stops claiming, gives running executions `finishMs`, and waits for writes under way. Code that runs then goes on; the
   * next process collects it.
   */
  async stop(finishMs: number): Promise<void> {
    this.#isFinishing = true;
    await this.#claiming;
    for (const end = performance.now() + finishMs; this.#running.size > 0 && performance.now() < end;)
      await pause(FINISH_POLL_MS);
    this.#stopped.abort();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    if (this.#listening) clearTimeout(this.#listening);
    await this.#copier.stop();
    await this.#ends.settled();
  }

  get running(): number {
    return this.#running.size;
  }

  /** Reconciles the rows that are RUNNING on this worker with the executions that the runtime knows. */
  async #recover(): Promise<void> {
    const rows = await runningOf(this.#platform.database.read, this.#workerId);
    for (const row of rows) {
      this.#running.set(row.id, needsOfRow(row));
      this.#observer.claimed(row, false);
    }
    const known = new Map((await this.#runtime.list()).map((one) => [one.executionId, one]));
    await clearOtherPools(this.#platform, new Set([...this.#running.keys(), ...known.keys()]));
    for (const row of rows) {
      // The runtime never received the job, so the code has not run.
      if (!known.has(row.id)) void this.#run(row);
    }
    await this.#adopt();
    for (const one of known.values()) {
      if (one.state === 'ENDED') this.#ends.collect(one.end);
      else if (!this.#running.has(one.executionId)) await this.#endCancelled(one.executionId);
    }
    if (rows.length > 0) this.#platform.log.info({ executions: rows.length }, 'took over running executions');
  }

  /** Ends an execution that was cancelled while no process of this worker ran: its code still uses its resources. */
  async #endCancelled(id: string): Promise<void> {
    const row = await resourcesOf(this.#platform.database, id);
    if (row) this.#running.set(id, needsOfRow(row));
    await this.#runtime.cancel(id);
  }

  /** Lets other workers go first, in turns: of all that hear of an execution, few look for it. */
  #heard(id: string): void {
    const ms = this.#platform.pace.spreadMs(id);
    if (ms === 0) return this.#hint();
    if (this.#running.size >= this.#platform.configuration.maxConcurrentExecutions) return;
    this.#news.add(id);
    this.#listening ??= setTimeout(() => {
      this.#listening = null;
      const isNew = this.#news.size > 0;
      this.#news.clear();
      if (isNew) this.#hint();
    }, ms);
  }

  /** Looks for work that others hear of as well. */
  #hint(): void {
    this.#wake(true);
  }

  #wake(isHint = false): void {
    if (this.#isFinishing) return;
    if (!isHint) this.#isHint = false;
    this.#again = true;
    this.#claiming ??= this.#claim()
      .catch((error: unknown) => {
        this.#isUnsure = true;
        this.#platform.log.error({ err: error }, 'could not claim executions');
        setTimeout(() => this.#wake(), POLL_MS).unref();
      })
      .finally(() => {
        this.#claiming = null;
      });
  }

  async #claim(): Promise<void> {
    const { maxConcurrentExecutions } = this.#platform.configuration;
    while (this.#again && !this.#isFinishing) {
      this.#again = false;
      await this.#heartbeat.ensureAlive();
      if (this.#isUnsure) await this.#adopt();
      const slots = maxConcurrentExecutions - this.#running.size;
      if (slots <= 0) return;
      // Slots may be freed before the end is collected: this bounds how much waits on the disk for that.
      if (this.#ends.ids.filter((id) => !this.#running.has(id)).length >= maxConcurrentExecutions) return;
      const promised = this.#running;
      const containers = this.#containers.usable;
      const offer = { workerId: this.#workerId, capacity: this.#capacity, containers, promised, slots };
      const isHint = this.#isHint;
      this.#isHint = true;
      const rows = await this.#claims.claim(offer, isHint);
      for (const row of rows) {
        // One that this worker has just given back still has its former slot.
        await this.#ends.over(row.id);
        this.#begin(row);
      }
      // The same queues may have more.
      if (rows.length > 0) this.#again = true;
    }
  }

  #begin(row: ExecutionRow): void {
    this.#running.set(row.id, needsOfRow(row));
    this.#observer.claimed(row, true);
    executionChanged(this.#platform.database, row.id);
    void this.#run(row);
  }

  /**
   * Starts executions that were claimed although the answer of the database was lost, also to an earlier process. Ends
   * the log of one that was cancelled since. To be called while no claim of this process is under way.
   */
  async #adopt(): Promise<void> {
    const known = new Set([...this.#running.keys(), ...this.#ends.ids]);
    for (const row of await this.#claims.unanswered(this.#workerId, known)) {
      this.#platform.log.warn({ execution: row.id }, 'took over an execution whose claim was not confirmed');
      known.add(row.id);
      this.#begin(row);
    }
    const cancelled = (await uncollectedOf(this.#platform.database, this.#workerId)).filter((id) => !known.has(id));
    if (cancelled.length > 0) {
      for (const { executionId } of await this.#runtime.list()) known.add(executionId);
      for (const id of cancelled) if (!known.has(id)) await forgetCancelled(this.#platform, id);
    }
    this.#isUnsure = false;
  }

  /**
   * Hands a claimed execution to the runtime. The start is idempotent. It is repeated when the connection to the runner
   * breaks, and while the database, the store of files or the disk is not available.
   */
  async #run(row: ExecutionRow): Promise<void> {
    const claimed = this.#running.get(row.id);
    let attempts = START_ATTEMPTS;
    let isHandedOver = false;
    for (let attempt = 1; !this.#stopped.signal.aborted && this.#running.get(row.id) === claimed; attempt++) {
      try {
        const job = await jobOf(this.#platform, this.#runnables, row);
        if ('image' in job.code) attempts = CONTAINER_START_ATTEMPTS;
        // An attempt without an answer may have started it, and its end may be collected by now. The runtime has
        // forgotten it then and would run it a second time.
        if (this.#running.get(row.id) !== claimed || this.#ends.has(row.id)) return;
        isHandedOver = true;
        await this.logs.start(job);
        if (row.sealed_secrets !== null) await this.#eraseSecrets(row.id);
        return;
      } catch (error) {
        this.#platform.log.warn({ execution: row.id, attempt, err: error }, 'could not start an execution');
        if (isStoreAway(error) && !isHandedOver) {
          this.logs.say(row.id, STORE_IS_AWAY);
          this.#copier.grown(row.id);
        }
        const again = isOutage(error) || isStoreAway(error) || error instanceof RuntimeUnavailable;
        if (error instanceof EngineUnavailable) attempts = CONTAINER_START_ATTEMPTS;
        const refused = wasRefused(error) && attempt < attempts;
        if (error instanceof StartRefused) this.#runnables.invalidate(row.service_version_id);
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

  /** Records that the execution cannot be started. Returns false when that could not be written. */
  async #fail(id: string, reason: unknown): Promise<boolean> {
    try {
      await failExecution(this.#platform, id, reason);
    } catch (error) {
      this.#platform.log.error({ execution: id, err: error }, 'could not record that an execution cannot be started');
      return false;
    }
    this.#done(id);
    this.#observer.failed(id);
    return true;
  }

  #done(id: string): void {
    this.#running.delete(id);
    this.logs.over(id);
    this.#overdue.delete(id);
    this.#wake();
  }

  /** Frees the slot of an execution, whether its code, the recording of its end or the collecting takes it. */
  async #free(id: string): Promise<void> {
    if (!this.#running.has(id) && !this.#ends.has(id)) return;
    this.#platform.log.warn({ execution: id }, 'frees the slot of an execution');
    setTimeout(() => this.#release(id), FREED_MS).unref();
    await this.#runtime.end(id).catch((error: unknown) => {
      this.#platform.log.error({ execution: id, err: error }, 'the runtime could not free an execution');
    });
    this.#ends.free(id);
  }

  #release(id: string): void {
    this.#overdue.delete(id);
    this.logs.over(id);
    if (!this.#running.delete(id)) return;
    this.#platform.log.error({ execution: id }, 'freed the slot of an execution whose end is not collected');
    this.#wake();
  }

  async #poll(): Promise<void> {
    try {
      for (const id of this.#ends.overdue) this.#release(id);
      for (const id of await endedOf(this.#platform.database, [...this.#running.keys()])) await this.#endOverdue(id);
      this.#ends.again();
      for (const one of await this.#runtime.list()) if (one.state === 'ENDED') this.#ends.collect(one.end);
    } catch (error) {
      this.#platform.log.warn({ err: error }, 'could not poll running executions');
    }
  }

  /** Ends an execution that has ended for its caller, and whose code may still run. */
  async #endOverdue(id: string): Promise<void> {
    if (this.#ends.has(id)) return;
    const since = this.#overdue.get(id) ?? performance.now();
    this.#overdue.set(id, since);
    if (performance.now() - since < OVERDUE_MS) await this.#runtime.cancel(id);
    else await this.#free(id);
  }

  /** Ends the processes of a cancelled execution. When the runtime cannot be reached, the next poll tries again. */
  async #cancel(id: string): Promise<void> {
    if (!this.#running.has(id)) return;
    await this.#runtime.cancel(id).catch((error: unknown) => {
      this.#platform.log.warn({ execution: id, err: error }, 'could not end a cancelled execution yet');
    });
  }
}
