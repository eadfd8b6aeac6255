import type { ExecutionEnd, Limits, OutputFile } from '../types.ts';
import { messageOf } from '../errors.ts';
import { collect } from './collect.ts';
import { LogFile } from './log-file.ts';
import { judge, lostCause, type Ending, type Observed, type Verdict } from './outcome.ts';
import type { OutputGuards } from './output-guard.ts';
import type { Run } from './driver.ts';
import { RunTime } from './run-time.ts';

export interface ExecutionOptions {
  executionId: string;
  /** Where all that is kept of it goes. */
  folder: string;
  limits: Limits;
  /** When the claim is on the disk: only then may the job be handed over. */
  claimed: Promise<void>;
  cancelGraceMs: () => number;
  memoryIsRefused: boolean;
  guards: OutputGuards;
  onLog: (bytes: number) => void;
  /** Epoch milliseconds, of one that an earlier runner has started. */
  startedAt?: number;
}

/** One execution from its start, or from where an earlier runner left it, to its end. */
export class Execution {
  readonly executionId: string;
  /** Everything is dead, read and collected; not yet recorded. LOST when our own disk fails us. Never rejects. */
  readonly ended: Promise<ExecutionEnd>;
  /** The driver's own words when it could not start the run: the first lines of the log then. */
  firstLines = '';
  readonly #options: ExecutionOptions;
  readonly #time: RunTime;
  readonly #run: Run;
  readonly #log: LogFile;
  readonly #runTime: NodeJS.Timeout;
  readonly #stopGuard: () => void;
  #grace: NodeJS.Timeout | null = null;
  #ending: Ending = null;

  constructor(options: ExecutionOptions, run: Run) {
    const { limits, folder } = options;
    this.executionId = options.executionId;
    this.#time = new RunTime(options.startedAt);
    this.#options = options;
    this.#run = run;
    this.#log = new LogFile(`${folder}/log.ndjson`, limits.logBytes, options.onLog);
    this.#log.onFull = () => {
      run.drop();
    };
    run.follow((line) => {
      if (this.firstLines.length < 1_000) this.firstLines += `${line.message}\n`;
      this.#log.append(line);
    });
    options.claimed.then(
      () => {
        run.start();
      },
      (error: unknown) => {
        console.error(`${this.executionId} could not be claimed on the disk: ${messageOf(error)}`);
        run.kill();
      },
    );
    this.#runTime = timer(Math.max(0, limits.runTimeMs - this.#time.elapsedMs), () => {
      this.#end('RUN_TIME');
    });
    this.#stopGuard = options.guards.guard(run.output, limits, () => {
      this.#end('OUTPUT');
    });
    this.ended = this.#conclude().catch((error: unknown) => this.#unreadable(error));
  }

  get startedAt(): number {
    return this.#time.startedAt;
  }

  get pid(): number {
    return this.#run.pid;
  }

  /** SIGTERM, and after the grace the end of every process. */
  cancel(): void {
    if (this.#ending !== null) return;
    this.#ending = 'CANCELLED';
    this.#log.note('NOTICE', 'The execution is being cancelled.');
    this.#run.terminate();
    this.#grace = setTimeout(() => {
      this.#run.kill();
    }, this.#options.cancelGraceMs());
  }

  /** The runner ends. */
  abandon(): void {
    this.#run.abandon();
  }

  /** When its start has succeeded, or it has ended before. */
  async settled(): Promise<ExecutionEnd | null> {
    return Promise.race([this.ended, this.#run.settled.then(() => null)]);
  }

  /** Why it was refused, when it was. */
  get refusal(): string {
    const words = this.firstLines.trim() || 'it ended at once';
    return words.startsWith(this.#run.refusal) ? words : `${this.#run.refusal}: ${words}`;
  }

  async release(): Promise<void> {
    await this.#run.release();
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#run.kill();
  }

  async #conclude(): Promise<ExecutionEnd> {
    const { executionId, limits } = this.#options;
    const exit = await this.#run.ended;
    clearTimeout(this.#runTime);
    if (this.#grace !== null) clearTimeout(this.#grace);
    this.#stopGuard();
    const written = await this.#run.readResult(limits);
    const observed: Observed = {
      exit,
      ending: this.#ending,
      written,
      tookJob: this.#run.tookJob(),
      memoryIsRefused: this.#options.memoryIsRefused,
      resultIsOptional: this.#run.resultIsOptional,
    };
    const verdict = judge(observed, limits);
    const files = this.#collect(verdict);
    const own = written.kind === 'FAILURE' ? written.cause : null; // its traceback is in the log already
    if (verdict.outcome === 'FAILED' && verdict.cause !== null && verdict.cause !== own) {
      this.#log.note('ERROR', `${verdict.cause.title}: ${verdict.cause.detail}`);
    }
    this.#log.close();
    return {
      executionId,
      ...verdict,
      startedAt: this.startedAt,
      endedAt: this.#time.now,
      result: verdict.outcome === 'SUCCEEDED' && written.kind === 'RESULT' ? written.result : null,
      files,
      peakMemoryBytes: exit.peakMemoryBytes,
      cpuMs: exit.cpuMs,
      ...(exit.measuredBy && { measuredBy: exit.measuredBy }),
      logBytes: this.#log.bytes,
    };
  }

  /** What it left cannot be read. That must neither hold it up for ever nor end the runner, and with it all others. */
  #unreadable(error: unknown): ExecutionEnd {
    const { executionId } = this.#options;
    console.error(`the end of ${executionId} could not be read: ${messageOf(error)}`);
    this.#log.close();
    return {
      executionId,
      outcome: 'LOST',
      cause: lostCause('What it left could not be read. The operator finds the cause in the log of the runner.'),
      startedAt: this.startedAt,
      endedAt: this.#time.now,
      result: null,
      files: [],
      peakMemoryBytes: null,
      cpuMs: null,
      logBytes: this.#log.bytes,
    };
  }

  #collect({ outcome }: Verdict): OutputFile[] {
    if (outcome === 'NOT_STARTED') return [];
    try {
      const { files, refused } = collect(`${this.#options.folder}/output`, this.#options.limits, this.#run.uid);
      for (const sentence of refused) this.#log.note('WARNING', sentence);
      return files;
    } catch (error) {
      console.error(`output of ${this.executionId} could not be collected: ${messageOf(error)}`);
      this.#log.note(
        'ERROR',
        'The result files could not be collected. The operator finds the cause in the log of the runner.',
      );
      return [];
    }
  }
}

/** setTimeout holds at most 2^31 - 1 ms, and fires at once beyond. */
function timer(milliseconds: number, then: () => void): NodeJS.Timeout {
  return setTimeout(then, Math.min(milliseconds, 2 ** 31 - 1));
}
