import { EventEmitter } from 'node:events';
import type { ExecutionEnd, ExecutionJob, KnownExecution, Runtime } from '@kethub/runtime';

const RESULT = '{"sum": 499500}';

/** A runtime that runs nothing: each execution succeeds after a time, with a short result and no log. */
export class SimulatedRuntime implements Runtime {
  readonly #runMs: number;
  readonly #ends = new EventEmitter();
  readonly #known = new Map<string, KnownExecution>();

  constructor(runMs: number) {
    this.#runMs = runMs;
  }

  start({ executionId }: ExecutionJob): Promise<'STARTED' | 'ALREADY_KNOWN'> {
    if (this.#known.has(executionId)) return Promise.resolve('ALREADY_KNOWN');
    const startedAt = Date.now();
    this.#known.set(executionId, { executionId, state: 'RUNNING', startedAt });
    setTimeout(() => {
      const end = endOf(executionId, startedAt);
      this.#known.set(executionId, { executionId, state: 'ENDED', end });
      this.#ends.emit('end', end);
    }, this.#runMs);
    return Promise.resolve('STARTED');
  }

  list(): Promise<KnownExecution[]> {
    return Promise.resolve([...this.#known.values()]);
  }

  forget(executionId: string): Promise<void> {
    this.#known.delete(executionId);
    return Promise.resolve();
  }

  onEnded(listener: (end: ExecutionEnd) => void): () => void {
    this.#ends.on('end', listener);
    return () => void this.#ends.off('end', listener);
  }

  readLog(_id: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
    return Promise.resolve({ bytes: Buffer.alloc(0), nextByte: fromByte });
  }

  onLog(): () => void {
    return () => undefined;
  }

  cancel(): Promise<void> {
    return Promise.resolve();
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  prewarm(): Promise<void> {
    return Promise.resolve();
  }

  endWarmPods(): Promise<void> {
    return Promise.resolve();
  }

  renewRoot(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  sandboxed(): Promise<never> {
    return Promise.reject(new Error('A simulated runtime has no sandbox'));
  }

  status(): Promise<never> {
    return Promise.reject(new Error('A simulated runtime has no runner'));
  }
}

/** The end of an execution of a trivial service. */
export function endOf(executionId: string, startedAt: number): ExecutionEnd {
  return {
    executionId,
    outcome: 'SUCCEEDED',
    cause: null,
    startedAt,
    endedAt: Date.now(),
    result: { text: RESULT, path: '', bytes: RESULT.length, isObject: true, reservedMembers: false },
    files: [],
    peakMemoryBytes: 41_943_040,
    cpuMs: 12,
    logBytes: 0,
    measuredBy: 'CGROUPS_V2',
  };
}
