import type { ExecutionEnd, Limits, LogLine } from '../types.ts';
import { messageOf } from '../errors.ts';
import { collect, type Collected } from './collect.ts';
import { collectPools } from './collect-pools.ts';
import { LogFile } from './log-file.ts';
import { judge, lostCause, tooMuchLeft, type Ending, type Observed, type Verdict } from './outcome.ts';
import type { Moment } from './moment.ts';
import { NO_LAYER, type OutputGuards } from './output-guard.ts';
import type { Run } from './driver.ts';
import { RunTime } from './run-time.ts';

interface ExecutionOptions {
  executionId: string;
  /** The folder that keeps everything of the execution. */
  folder: string;
  limits: Limits;
  /** Resolves when the claim is on the disk. Only then may the job be handed over. */
  claimed: Promise<void>;
  cancelGraceMs: () => number;
  memoryIsRefused: boolean;
  guards: OutputGuards;
  onLog: (bytes: number) => void;
  /** Lines with which its log begins. */
  notices?: readonly LogLine[];
  /** Set when an earlier runner has started the execution. */
  start?: Moment | undefined;
  /** Default {@link DEADLINES}. */
  deadlines?: Deadlines;
}

/** Milliseconds after which an execution is given up: its slot becomes free, and its outcome is unknown (LOST). */
interface Deadlines {
  /** From the kill of its processes until none is left. */
  endMs: number;
  /** The same when an operator or the platform needs its slot. */
  freeMs: number;
  /** From the end of its processes until its output is read and collected. */
  readMs: number;
}

/** Far beyond what a busy machine takes. A process that waits for a disk or a network file system cannot be ended. */
const DEADLINES: Deadlines = { endMs: 300_000, freeMs: 5_000, readMs: 600_000 };

/** One execution from its start, or from where an earlier runner left it, to its end. */
export class Execution {
  readonly executionId: string;
  /**
   * Resolves when all processes are dead and the output is collected, before the end is recorded. LOST when our own
   * disk fails. Never rejects.
   */
  readonly ended: Promise<ExecutionEnd>;
  /** The first lines of the log. When the driver could not start the run, they are the driver's error message. */
  firstLines = '';
  readonly #options: ExecutionOptions;
  readonly #time: RunTime;
  readonly #run: Run;
  readonly #log: LogFile;
  #runTime: NodeJS.Timeout | null = null;
  readonly #stopGuard: () => void;
  readonly #deadlines: Deadlines;
  readonly #givenUp = Promise.withResolvers<ExecutionEnd>();
  readonly #freed = new AbortController();
  #grace: NodeJS.Timeout | null = null;
  #deadline: NodeJS.Timeout | null = null;
  #ending: Ending = null;
  #isOver = false;

  constructor(options: ExecutionOptions, run: Run) {
    const { limits, folder } = options;
    this.executionId = options.executionId;
    this.#deadlines = options.deadlines ?? DEADLINES;
    this.#time = new RunTime(options.start);
    this.#options = options;
    this.#run = run;
    this.#log = new LogFile(`${folder}/log.ndjson`, limits.logBytes, options.onLog);
    for (const line of options.notices ?? []) this.#log.append(line, 'OURS');
    this.#log.onFull = () => {
      run.drop();
    };
    run.follow((line, from) => {
      if (this.firstLines.length < 1_000) this.firstLines += `${line.message}\n`;
      this.#log.append(line, from);
    });
    options.claimed.then(
      () => {
        run.start();
      },
      (error: unknown) => {
        console.error(`${this.executionId} could not be claimed on the disk: ${messageOf(error)}`);
        this.#kill();
      },
    );
    if (run.begins === undefined) this.#limitRunTime(this.#time.elapsedMs);
    else void run.begins.then((elapsedMs) => this.#limitRunTime(elapsedMs));
    this.#stopGuard = options.guards.guard({
      dir: run.output,
      more: run.pools?.map(({ path }) => path) ?? [],
      limits,
      processes: () => run.processes(),
      ...(run.layer && { layer: (bounds) => run.layer?.(bounds) ?? Promise.resolve(NO_LAYER) }),
      exceeded: (why) => {
        this.#end(why);
      },
    });
    const concluded = this.#conclude().catch((error: unknown) => this.#unreadable(error));
    this.ended = Promise.race([concluded, this.#givenUp.promise]);
  }

  get startedAt(): number {
    return this.#time.startedAt;
  }

  get pid(): number {
    return this.#run.pid;
  }

  /** Sends SIGTERM, and kills every process after the grace period. */
  cancel(): void {
    if (this.#ending !== null) return;
    this.#ending = 'CANCELLED';
    this.#log.note('NOTICE', 'The execution is being cancelled.');
    this.#run.terminate();
    this.#grace = setTimeout(() => {
      this.#kill();
    }, this.#options.cancelGraceMs());
  }

  /** Kills it now because its slot is needed. If it does not end, it is given up after `freeMs`. */
  free(): void {
    this.#ending ??= 'CANCELLED';
    this.#freed.abort();
    this.#run.kill();
    this.#within(this.#deadlines.freeMs, 'It was ended from outside, and nothing is known of how far it had come.');
  }

  /** Aborted when its slot is needed. Long work for this execution then stops. */
  get freed(): AbortSignal {
    return this.#freed.signal;
  }

  /** Leaves the run as it is, because the runner ends. */
  abandon(): void {
    this.#run.abandon();
  }

  /** Resolves when the run has started, or has ended before. */
  async settled(): Promise<ExecutionEnd | null> {
    return Promise.race([this.ended, this.#run.settled.then(() => null)]);
  }

  /** The reason why its start was refused. Meaningful only after a refusal. */
  get refusal(): string {
    const words = this.firstLines.trim() || 'it ended at once';
    return words.startsWith(this.#run.refusal) ? words : `${this.#run.refusal}: ${words}`;
  }

  async release(): Promise<void> {
    await this.#run.release();
  }

  #limitRunTime(elapsedMs: number): void {
    if (this.#isOver) return;
    this.#runTime = timer(Math.max(0, this.#options.limits.runTimeMs - elapsedMs), () => {
      this.#end('RUN_TIME');
    });
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#kill();
  }

  #kill(): void {
    this.#run.kill();
    this.#within(this.#deadlines.endMs, 'Its processes could not be ended.');
  }

  /** Gives the execution up unless the present step is over within this time. */
  #within(milliseconds: number, why: string): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    if (this.#isOver) return;
    this.#deadline = setTimeout(() => {
      console.error(`${this.executionId} is given up: ${why}`);
      this.#givenUp.resolve(this.#lost(`${why} Whether the program finished cannot be known.`));
    }, milliseconds);
  }

  async #conclude(): Promise<ExecutionEnd> {
    const { executionId, limits } = this.#options;
    const exit = await this.#run.ended;
    this.#stopWatching();
    if (!this.#freed.signal.aborted) this.#within(this.#deadlines.readMs, 'What it left could not be read in time.');
    const written = await this.#run.readResult(limits);
    const observed: Observed = {
      exit,
      ending: this.#ending,
      written,
      tookJob: this.#run.tookJob(),
      memoryIsRefused: this.#options.memoryIsRefused,
      resultIsOptional: this.#run.resultIsOptional,
    };
    const judged = judge(observed, limits);
    const { files, exceeded } = this.#collect(judged);
    const limited = exceeded === null ? judged : tooMuchLeft(judged, exceeded, files.length, limits);
    const { verdict, ...pools } = collectPools(limited, this.#run, files, limits);
    const own = written.kind === 'FAILURE' ? written.cause : null; // its traceback is in the log already
    if (verdict.outcome === 'FAILED' && verdict.cause !== null && verdict.cause !== own) {
      this.#log.note('ERROR', `${verdict.cause.title}: ${verdict.cause.detail}`);
    }
    this.#log.close();
    this.#isOver = true;
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    return {
      executionId,
      ...verdict,
      startedAt: this.startedAt,
      endedAt: this.#time.now,
      result: verdict.outcome === 'SUCCEEDED' && written.kind === 'RESULT' ? written.result : null,
      files,
      ...pools,
      peakMemoryBytes: exit.peakMemoryBytes,
      cpuMs: exit.cpuMs,
      ...(exit.measuredBy && { measuredBy: exit.measuredBy }),
      logBytes: this.#log.bytes,
    };
  }

  /** The end when the output cannot be read. A fault of the disk must not block the execution or end the runner. */
  #unreadable(error: unknown): ExecutionEnd {
    console.error(`the end of ${this.executionId} could not be read: ${messageOf(error)}`);
    return this.#lost('What it left could not be read. The operator finds the cause in the log of the runner.');
  }

  #lost(detail: string): ExecutionEnd {
    this.#isOver = true;
    this.#stopWatching();
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#log.close();
    return {
      executionId: this.executionId,
      outcome: 'LOST',
      cause: lostCause(detail),
      startedAt: this.startedAt,
      endedAt: this.#time.now,
      result: null,
      files: [],
      peakMemoryBytes: null,
      cpuMs: null,
      logBytes: this.#log.bytes,
    };
  }

  #stopWatching(): void {
    if (this.#runTime !== null) clearTimeout(this.#runTime);
    if (this.#grace !== null) clearTimeout(this.#grace);
    this.#stopGuard();
  }

  #collect({ outcome }: Verdict): Pick<Collected, 'files' | 'exceeded'> {
    if (outcome === 'NOT_STARTED') return { files: [], exceeded: null };
    try {
      const { folder, limits } = this.#options;
      const { refused, ...collected } = collect(`${folder}/output`, limits, this.#run.uid, this.#run.resultFile);
      for (const sentence of refused) this.#log.note('WARNING', sentence);
      return collected;
    } catch (error) {
      console.error(`output of ${this.executionId} could not be collected: ${messageOf(error)}`);
      this.#log.note(
        'ERROR',
        'The result files could not be collected. The operator finds the cause in the log of the runner.',
      );
      return { files: [], exceeded: null };
    }
  }
}

/** setTimeout holds at most 2^31 - 1 ms; a longer time would fire at once. */
function timer(milliseconds: number, then: () => void): NodeJS.Timeout {
  return setTimeout(then, Math.min(milliseconds, 2 ** 31 - 1));
}
