import type { ExecutionJob, LogLine, Runtime } from '@kethub/runtime';

/** Different lines about one start. Further ones are left out. */
const MOST_LINES = 20;

/**
 * The logs of executions of a worker, also of those that it has claimed and cannot hand to the runtime yet. Their lines
 * say what the platform waits for. When it hands one over, the runtime begins its log with the same bytes.
 */
export class DelayedStarts {
  readonly #runtime: Pick<Runtime, 'start' | 'readLog' | 'onLog'>;
  readonly #lines = new Map<string, LogLine[]>();

  constructor(runtime: Pick<Runtime, 'start' | 'readLog' | 'onLog'>) {
    this.#runtime = runtime;
  }

  /** Says why a start waits, each reason once. To be called only before the first {@link start} of the execution. */
  say(executionId: string, message: string): void {
    const lines = this.#lines.get(executionId) ?? [];
    if (lines.length >= MOST_LINES || lines.some((line) => line.message === message)) return;
    this.#lines.set(executionId, [...lines, { timestamp: new Date().toISOString(), severity: 'NOTICE', message }]);
  }

  async start(job: ExecutionJob): Promise<void> {
    const notices = this.#lines.get(job.executionId);
    await this.#runtime.start({ ...job, ...(notices && { notices }) });
    this.over(job.executionId);
  }

  /** Forgets the lines of an execution that has started, or is not started here any more. */
  over(executionId: string): void {
    this.#lines.delete(executionId);
  }

  async readLog(executionId: string, fromByte: number): ReturnType<Runtime['readLog']> {
    const lines = this.#lines.get(executionId);
    if (lines === undefined) return this.#runtime.readLog(executionId, fromByte);
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')).subarray(fromByte);
    return { bytes, nextByte: fromByte + bytes.length };
  }

  onLog(listener: (executionId: string, bytes: number) => void): () => void {
    return this.#runtime.onLog(listener);
  }
}
