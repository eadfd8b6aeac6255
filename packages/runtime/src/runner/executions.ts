import { renameSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, messageOf } from '../errors.ts';
import type { JobHeader, Settings } from '../protocol/messages.ts';
import { StartRefused, type ExecutionEnd, type KnownExecution } from '../types.ts';
import { Execution } from './execution.ts';
import { discard, type RunnerGround } from './ground.ts';
import { Records } from './records.ts';
import { ServiceSandbox } from './service-sandbox.ts';
import type { Stock } from './stock.ts';
import type { WarmPool } from './warm-pool.ts';

/** A sandbox that cannot be made ends within some milliseconds; what ends later is told as NOT_STARTED. */
const REFUSAL_MS = 250;
/** Clients redraw no faster. */
const LOG_EVENT_MS = 50;
const RECORD_AGAIN_MS = 1_000;

export interface ExecutionEvents {
  ended(end: ExecutionEnd): void;
  log(executionId: string, bytes: number): void;
}

/** All executions of this data folder: each at most once, each end recorded before it is told. */
export class Executions {
  readonly #ground: RunnerGround;
  readonly #records: Records;
  readonly #pool: WarmPool;
  readonly #stock: Stock;
  readonly #settings: () => Settings;
  readonly #events: ExecutionEvents;
  readonly #running = new Map<string, Execution>();
  #discarded = 0;
  #abandoned = false;

  constructor(ground: RunnerGround, pool: WarmPool, stock: Stock, settings: () => Settings, events: ExecutionEvents) {
    this.#ground = ground;
    this.#records = new Records(ground.places.executions);
    this.#pool = pool;
    this.#stock = stock;
    this.#settings = settings;
    this.#events = events;
  }

  async recordLost(): Promise<void> {
    await this.#records.recordLost();
  }

  get count(): number {
    return this.#running.size;
  }

  list(): KnownExecution[] {
    return this.#records.list((executionId) => this.#running.get(executionId)?.startedAt ?? null);
  }

  running(): { executionId: string; pid: number }[] {
    return [...this.#running].map(([executionId, { pid }]) => ({ executionId, pid }));
  }

  cancel(executionId: string): void {
    this.#running.get(executionId)?.cancel();
  }

  /** The folder moves away at once, so that the id is free; deleting it can take long. */
  forget(executionId: string): void {
    if (this.#running.has(executionId)) return;
    const trash = `${this.#ground.places.trash}/${process.pid}-${++this.#discarded}`;
    try {
      renameSync(this.#records.folder(executionId), trash);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    discard(trash);
  }

  /** Ends all, without recording an end: they are told as LOST, because what ended them was not their own. */
  abandonAll(): void {
    this.#abandoned = true;
    for (const execution of this.#running.values()) execution.kill();
  }

  /** @throws StartRefused when the sandbox could not be made; nothing is left of the attempt then. */
  async start(job: JobHeader, input: Buffer): Promise<'STARTED' | 'ALREADY_KNOWN'> {
    const { executionId } = job;
    if (!this.#records.claim(executionId)) return 'ALREADY_KNOWN';
    let execution: Execution;
    try {
      execution = this.#begin(job, input);
    } catch (error) {
      this.forget(executionId);
      throw new StartRefused(messageOf(error));
    }
    this.#running.set(executionId, execution);
    const early = await Promise.race([execution.ended, pause(REFUSAL_MS, null, { ref: false })]);
    if (early?.outcome !== 'NOT_STARTED') {
      void this.#finish(execution, job);
      return 'STARTED';
    }
    this.#running.delete(executionId);
    this.forget(executionId);
    throw new StartRefused(`The sandbox could not be made: ${execution.firstLines.trim() || 'it ended at once'}`);
  }

  #begin(job: JobHeader, input: Buffer): Execution {
    const { executionId, code, environment, secretEnvironment = {}, limits, dataPools, secrets } = job;
    const folder = this.#records.folder(executionId);
    const warm = dataPools.length === 0 ? this.#pool.take({ code, environment, limits }) : null;
    const service = warm ?? this.#stock.take() ?? new ServiceSandbox(this.#ground, folder, [], limits);
    const names = dataPools.map(({ parameter }) => parameter);
    try {
      if (warm === null) service.begin({ code, environment, limits }, { warm: false, dataPools });
      return new Execution(
        {
          executionId,
          folder,
          claimed: this.#records.flushClaims(),
          limits,
          cancelGraceMs: () => this.#settings().cancelGraceMs,
          memoryIsRefused: this.#ground.limitedBy === 'RLIMITS',
          onLog: this.#logEvents(executionId),
        },
        service,
        { secrets, environment: secretEnvironment, dataPools: names, input },
      );
    } catch (error) {
      service.end();
      throw error;
    }
  }

  async #finish(execution: Execution, { code, environment, limits, dataPools }: JobHeader): Promise<void> {
    const { executionId } = execution;
    const end = await execution.ended;
    if (this.#abandoned) return;
    await this.#record(end);
    this.#running.delete(executionId);
    this.#events.ended(end);
    if (end.outcome === 'NOT_STARTED') this.#pool.blame({ code, environment, limits });
    if (dataPools.length === 0) this.#pool.want({ code, environment, limits });
  }

  /** A full disk must not lose the end: it is tried until there is room. */
  async #record(end: ExecutionEnd): Promise<void> {
    for (;;) {
      try {
        await this.#records.recordEnd(end);
        return;
      } catch (error) {
        console.error(`the end of ${end.executionId} could not be recorded yet: ${messageOf(error)}`);
        await pause(RECORD_AGAIN_MS);
      }
    }
  }

  #logEvents(executionId: string): (bytes: number) => void {
    let told = 0;
    let known = 0;
    let timer: NodeJS.Timeout | null = null;
    const tell = (): void => {
      timer = null;
      if (known === told) return;
      told = known;
      this.#events.log(executionId, known);
      timer = setTimeout(tell, LOG_EVENT_MS);
    };
    return (bytes) => {
      known = bytes;
      if (timer === null) tell();
    };
  }
}
