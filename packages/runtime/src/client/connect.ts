import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { makeRunnerPaths, type RunnerPaths } from '../paths.ts';
import type { Method, Methods, Settings } from '../protocol/messages.ts';
import {
  RuntimeUnavailable, type Code, type ExecutionEnd, type ExecutionJob, type KnownExecution, type Limits, type RunnerStatus,
  type Runtime, type RuntimeOptions, type SandboxedCommand, type SandboxedOutcome,
} from '../types.ts'; // prettier-ignore
import { runnerVersion } from '../version.ts';
import type { Connection, RequestOptions, RunnerEvent } from './connection.ts';
import { readLines } from './log-reader.ts';
import { reachRunner } from './reach.ts';

/** Milliseconds that a request waits for a lost runner to be reached again. Beyond them it fails. */
const RECONNECT_MS = 15_000;
/** Milliseconds between two attempts to reconnect, at most. */
const LONGEST_PAUSE_MS = 2_000;
const EXECUTION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/**
 * Connects to the runner of a data folder, and starts one when there is none. A lost connection is made again, if need
 * be with a new runner, until {@link Runtime.close}.
 * @throws RuntimeUnavailable when no runner can be reached at all.
 */
export async function connectRuntime(options: RuntimeOptions): Promise<Runtime> {
  const runtime = new LocalRuntime(options);
  await runtime.connect();
  return runtime;
}

class LocalRuntime implements Runtime {
  readonly #options: RuntimeOptions;
  readonly #paths: RunnerPaths;
  readonly #version = runnerVersion();
  readonly #endedListeners = new Set<(end: ExecutionEnd) => void>();
  readonly #logListeners = new Set<(executionId: string, bytes: number) => void>();
  #connection: Connection | null = null;
  /** Requests that wait for a connection. */
  #waiting: (() => void)[] = [];
  #closed = false;
  /** True until a runner of this version has been reached. */
  #mayReplace = true;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#paths = makeRunnerPaths(options.dataDir);
  }

  async connect(): Promise<void> {
    const connection = await reachRunner(this.#paths, this.#version, settingsOf(this.#options), this.#mayReplace);
    if (connection.welcome.version === this.#version) this.#mayReplace = false;
    // A connection that is lost while its executions are listed has a second reconnection under way.
    if (this.#closed || this.#connection !== null) {
      connection.close();
      return;
    }
    connection.onEvent = (event) => {
      this.#publish(event);
    };
    this.#connection = connection;
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#options.onConnection?.('CONNECTED', `runner ${connection.welcome.runnerPid}`);
    void connection.closed.then(async () => this.#reconnect(connection));
  }

  async start(job: ExecutionJob): Promise<'STARTED' | 'ALREADY_KNOWN'> {
    const { input, ...header } = job;
    return this.#request('start', { job: header }, { body: Buffer.from(input) });
  }

  async cancel(executionId: string): Promise<void> {
    await this.#request('cancel', { executionId });
  }

  async end(executionId: string): Promise<void> {
    await this.#request('end', { executionId });
  }

  async list(): Promise<KnownExecution[]> {
    return this.#request('list', {});
  }

  async forget(executionId: string): Promise<void> {
    await this.#request('forget', { executionId });
  }

  async readLog(executionId: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
    if (!EXECUTION_ID.test(executionId))
      throw new Error(`${JSON.stringify(executionId.slice(0, 100))} cannot be an execution id.`);
    return readLines(join(this.#paths.executions, executionId, 'log.ndjson'), fromByte);
  }

  onEnded(listener: (end: ExecutionEnd) => void): () => void {
    this.#endedListeners.add(listener);
    return () => this.#endedListeners.delete(listener);
  }

  onLog(listener: (executionId: string, bytes: number) => void): () => void {
    this.#logListeners.add(listener);
    return () => this.#logListeners.delete(listener);
  }

  async sandboxed({ onLine, signal, input, ...request }: SandboxedCommand): Promise<SandboxedOutcome> {
    const params = { request: { ...request, lines: onLine !== undefined } };
    return this.#request('sandboxed', params, { body: Buffer.from(input ?? ''), onLine, signal });
  }

  async prewarm(code: Code, environment: Record<string, string>, limits: Limits): Promise<void> {
    await this.#request('prewarm', { code, environment, limits });
  }

  async endWarmPods(versions: readonly string[]): Promise<void> {
    await this.#request('endWarmPods', { versions });
  }

  async renewRoot(): Promise<void> {
    await this.#request('renewRoot', {});
  }

  async status(): Promise<RunnerStatus> {
    return this.#request('status', {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
    const connection = this.#connection;
    if (connection === null) return;
    try {
      const { exits } = await connection.request('close', {});
      if (!exits) connection.close();
    } catch (error) {
      if (!(error instanceof RuntimeUnavailable)) throw error; // it has ended already
    }
    await connection.closed;
  }

  async #request<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options?: RequestOptions,
  ): Promise<Methods[M]['result']> {
    const connection = this.#connection ?? (await this.#nextConnection());
    return connection.request(method, params, options);
  }

  async #nextConnection(): Promise<Connection> {
    if (this.#closed) throw closed();
    const timeout = new AbortController();
    await Promise.race([
      new Promise<void>((resolve) => this.#waiting.push(resolve)),
      pause(RECONNECT_MS, null, { ref: false, signal: timeout.signal }).catch(() => undefined),
    ]);
    timeout.abort();
    if (this.#closed) throw closed();
    if (this.#connection === null) throw new RuntimeUnavailable('The runner cannot be reached.');
    return this.#connection;
  }

  async #reconnect(lost: Connection): Promise<void> {
    this.#connection = null;
    if (this.#closed) return;
    this.#options.onConnection?.('LOST', `runner ${lost.welcome.runnerPid}`);
    for (let attempt = 0; !this.#closed; attempt++) {
      try {
        await this.connect();
        for (const known of this.#closed ? [] : await this.list())
          if (known.state === 'ENDED') this.#publish({ event: 'ended', end: known.end });
        return;
      } catch (error) {
        if (this.#connection !== null) return; // lost again: a second reconnection is running
        this.#options.onConnection?.('LOST', messageOf(error));
        await pause(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** attempt));
      }
    }
  }

  #publish(event: RunnerEvent): void {
    if (event.event === 'ended') for (const listener of this.#endedListeners) listener(event.end);
    else for (const listener of this.#logListeners) listener(event.executionId, event.bytes);
  }
}

function closed(): RuntimeUnavailable {
  return new RuntimeUnavailable('The connection to the runner was closed.');
}

function settingsOf(options: RuntimeOptions): Settings {
  return {
    warmBytes: options.warmBytes ?? 512 * 1024 * 1024,
    warmPerCode: options.warmPerCode ?? 1,
    warmIdleMs: options.warmIdleMs ?? 300_000,
    warmPods: options.warmPods ?? 0,
    warmPodIdleMs: options.warmPodIdleMs ?? 900_000,
    cancelGraceMs: options.cancelGraceMs ?? 3_000,
    idleExitMs: options.idleExitMs ?? 10_000,
    freeBytes: options.freeBytes ?? null,
    networks: options.serviceNetworks ?? [],
    containers: options.containers ?? null,
    kubernetes: options.kubernetes ?? null,
  };
}
