import { EventEmitter } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isFinal, type ExecutionStatus } from '@kethub/contract';
import type { Cause, ExecutionEnd, ExecutionJob, ExecutionRuntime } from '@kethub/runtime/local';
import { createIds, type Progress } from '@kethub/service-api';

/** Executions that are kept. Older ones are deleted with all that they left. */
const KEPT = 200;

/** An execution of the local development server, as its file in `.kethub/serve` keeps it. */
export interface LocalExecution extends Progress {
  status: ExecutionStatus;
  started_at: number | null;
  ended_at: number | null;
  readonly tags: readonly string[];
  /** Reason why it did not succeed; null otherwise. */
  cause: Cause | { type: string; title: string; detail: string } | null;
  readonly key: { readonly name: string; readonly digest: string } | null;
}

type StartedJob = Omit<ExecutionJob, 'executionId'>;

const outcomes = {
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
  LOST: 'UNKNOWN',
  NOT_STARTED: 'FAILED',
} as const satisfies Record<ExecutionEnd['outcome'], ExecutionStatus>;

const cancelled = {
  type: 'about:blank',
  title: 'Cancelled',
  detail: 'The execution was cancelled before it ended.',
};
const lost = {
  type: 'ExecutionLost',
  title: 'Execution lost',
  detail: 'ket serve ended before the execution did. Whether the program finished cannot be known.',
};

/** The executions of one project: accepted, run in turn, and kept over a restart. */
export class LocalExecutions {
  /** Emits `id` when the status of this execution has changed, and `log <id>` when its log has grown. */
  readonly changes = new EventEmitter().setMaxListeners(0);
  readonly #runtime: ExecutionRuntime;
  readonly #dir: string;
  readonly #atOnce: number;
  readonly #all = new Map<string, LocalExecution>();
  readonly #ends = new Map<string, ExecutionEnd>();
  readonly #waiting: { id: string; job: StartedJob }[] = [];
  readonly #running = new Set<string>();
  /** The copy of the code that each running execution has. */
  readonly #sources = new Map<string, string>();
  readonly #newId = createIds(() => Date.now());

  /** @param atOnce executions that run at the same time. */
  constructor(runtime: ExecutionRuntime, dir: string, atOnce: number) {
    this.#runtime = runtime;
    this.#dir = dir;
    this.#atOnce = atOnce;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    runtime.onEnded((end) => {
      this.#finish(end);
    });
    runtime.onLog((id) => {
      this.changes.emit(`log ${id}`);
      const execution = this.#all.get(id);
      if (execution) this.changes.emit('grown', execution);
    });
  }

  /** Reads what an earlier `ket serve` of this project has left. */
  async load(): Promise<void> {
    const known = new Map((await this.#runtime.list()).map((one) => [one.executionId, one]));
    for (const name of readdirSync(this.#dir)
      .filter((one) => one.endsWith('.json'))
      .sort()) {
      const execution = read(path.join(this.#dir, name));
      if (execution === null) continue;
      this.#all.set(execution.id, execution);
      const state = known.get(execution.id);
      if (state?.state === 'ENDED') this.#ends.set(execution.id, state.end);
      if (isFinal(execution.status)) continue;
      if (state?.state === 'RUNNING') this.#running.add(execution.id);
      else if (state?.state === 'ENDED') this.#settle(execution, state.end);
      else this.#write(Object.assign(execution, { status: 'UNKNOWN', ended_at: Date.now(), cause: lost }));
    }
  }

  /** Newest first. */
  list(): LocalExecution[] {
    return [...this.#all.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  find(id: string): LocalExecution | undefined {
    return this.#all.get(id.toLowerCase());
  }

  /** The execution that a request with this Idempotency-Key has started. */
  findByKey(name: string): LocalExecution | undefined {
    return [...this.#all.values()].find(({ key }) => key?.name === name);
  }

  end(id: string): ExecutionEnd | undefined {
    return this.#ends.get(id);
  }

  readLog(id: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }> {
    return this.#runtime.readLog(id, fromByte);
  }

  /** Returns whether the log of an execution has all its lines. */
  isLogComplete(execution: LocalExecution): boolean {
    return isFinal(execution.status) && !this.#running.has(execution.id);
  }

  /** Accepts an execution, which is PENDING then, and runs when it is its turn. */
  start(job: StartedJob, tags: readonly string[], key: LocalExecution['key']): LocalExecution {
    const execution: LocalExecution = {
      id: this.#newId(),
      status: 'PENDING',
      created_at: Date.now(),
      started_at: null,
      ended_at: null,
      tags,
      cause: null,
      key,
    };
    this.#all.set(execution.id, execution);
    this.#write(execution);
    this.#waiting.push({ id: execution.id, job });
    this.#removeOldest();
    setImmediate(() => {
      this.#next();
    });
    return execution;
  }

  /** Cancels an execution at once; its processes end soon after. One that has ended stays as it is. */
  cancel(execution: LocalExecution): void {
    if (isFinal(execution.status)) return;
    const index = this.#waiting.findIndex(({ id }) => id === execution.id);
    if (index >= 0) this.#waiting.splice(index, 1);
    else void this.#runtime.cancel(execution.id);
    this.#write(Object.assign(execution, { status: 'CANCELLED', ended_at: Date.now(), cause: cancelled }));
  }

  /** The copies of code that executions still need. */
  get sources(): ReadonlySet<string> {
    return new Set([...this.#sources.values(), ...this.#waiting.map(({ job }) => sourceOf(job))]);
  }

  async close(): Promise<void> {
    this.#waiting.length = 0;
    const running = [...this.#running].map((id) => this.#all.get(id)).filter((one) => one !== undefined);
    for (const execution of running) this.cancel(execution);
    await this.#runtime.close();
  }

  #next(): void {
    while (this.#running.size < this.#atOnce) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      void this.#run(next.id, next.job);
    }
  }

  async #run(id: string, job: StartedJob): Promise<void> {
    const execution = this.#all.get(id);
    if (execution === undefined) return;
    this.#running.add(id);
    this.#sources.set(id, sourceOf(job));
    this.#write(Object.assign(execution, { status: 'RUNNING', started_at: Date.now() }));
    try {
      await this.#runtime.start({ executionId: id, ...job });
    } catch (error) {
      this.#running.delete(id);
      this.#sources.delete(id);
      const detail = error instanceof Error ? error.message : String(error);
      const cause = { type: 'ExecutionNotStarted', title: 'Not started', detail };
      if (!isFinal(execution.status))
        this.#write(Object.assign(execution, { status: 'FAILED', ended_at: Date.now(), cause }));
      this.#next();
    }
  }

  #finish(end: ExecutionEnd): void {
    const execution = this.#all.get(end.executionId);
    if (execution === undefined) return;
    this.#running.delete(execution.id);
    this.#sources.delete(execution.id);
    this.#ends.set(execution.id, end);
    if (isFinal(execution.status)) this.changes.emit(`log ${execution.id}`);
    else this.#settle(execution, end);
    this.#next();
  }

  #settle(execution: LocalExecution, end: ExecutionEnd): void {
    const { outcome, cause, endedAt } = end;
    this.#write(Object.assign(execution, { status: outcomes[outcome], cause, ended_at: endedAt }));
  }

  /** Keeps an execution on the disk, without its input and secrets. */
  #write(execution: LocalExecution): void {
    const file = path.join(this.#dir, `${execution.id}.json`);
    writeFileSync(`${file}.tmp`, JSON.stringify(execution), { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
    this.changes.emit(execution.id);
    this.changes.emit(`log ${execution.id}`);
    this.changes.emit('any', execution);
  }

  #removeOldest(): void {
    const old = this.list().slice(KEPT);
    for (const { id, status } of old) {
      if (!isFinal(status) || this.#running.has(id)) continue;
      this.#all.delete(id);
      this.#ends.delete(id);
      rmSync(path.join(this.#dir, `${id}.json`), { force: true });
      void this.#runtime.forget(id);
    }
  }
}

function sourceOf({ code }: StartedJob): string {
  return 'image' in code ? '' : code.sourceDir;
}

/** Null for a file that cannot be read: one damaged file must not keep the server from starting. */
function read(file: string): LocalExecution | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LocalExecution;
  } catch {
    return null;
  }
}

/** The text of a result as an object: any other value is its member `result`. Without HAL members of its own. */
export async function resultText({ result }: ExecutionEnd): Promise<string> {
  if (result === null) return '{}';
  const bytes = result.text === undefined ? await readFile(result.path) : Buffer.from(result.text);
  const parts = result.parts ?? [[0, bytes.length] as const];
  const text = Buffer.concat(parts.map(([from, to]) => bytes.subarray(from, to))).toString('utf8');
  return result.isObject ? text : `{"result":${text}}`;
}
