import type { ExecutionEnd, Limits, OutputFile } from '../types.ts';
import { messageOf } from '../errors.ts';
import { collect } from './collect.ts';
import { LogFile } from './log-file.ts';
import { judge, type Ending, type Observed, type Verdict } from './outcome.ts';
import { guardOutput } from './output-guard.ts';
import { keepWritten } from './result.ts';
import type { Handover, ServiceSandbox } from './service-sandbox.ts';

export interface ExecutionOptions {
  executionId: string;
  /** Where all that is kept of it goes. */
  folder: string;
  limits: Limits;
  /** When the claim is on the disk: only then may the job be handed over. */
  claimed: Promise<void>;
  cancelGraceMs: () => number;
  memoryIsRefused: boolean;
  onLog: (bytes: number) => void;
}

/** One execution from the hand-over of its job to its end. */
export class Execution {
  readonly executionId: string;
  readonly startedAt = Date.now();
  /** Everything is dead, read and collected; not yet recorded. Rejects only when our own disk fails us. */
  readonly ended: Promise<ExecutionEnd>;
  /** bubblewrap's own words when it could not make the sandbox: the first lines of the log then. */
  firstLines = '';
  readonly #options: ExecutionOptions;
  readonly #service: ServiceSandbox;
  readonly #log: LogFile;
  readonly #runTime: NodeJS.Timeout;
  readonly #stopGuard: () => void;
  #grace: NodeJS.Timeout | null = null;
  #ending: Ending = null;

  constructor(options: ExecutionOptions, service: ServiceSandbox, job: Handover) {
    const { limits, folder } = options;
    this.executionId = options.executionId;
    this.#options = options;
    this.#service = service;
    this.#log = new LogFile(`${folder}/log.ndjson`, limits.logBytes, options.onLog);
    this.#log.onFull = () => {
      service.lines.drop();
    };
    service.lines.deliverTo((line) => {
      if (this.firstLines.length < 1_000) this.firstLines += `${line.message}\n`;
      this.#log.append(line);
    });
    options.claimed.then(
      () => {
        service.handOver(job, limits);
      },
      (error: unknown) => {
        console.error(`${this.executionId} could not be claimed on the disk: ${messageOf(error)}`);
        service.sandbox.kill();
      },
    );
    this.#runTime = timer(limits.runTimeMs, () => {
      this.#end('RUN_TIME');
    });
    this.#stopGuard = guardOutput(service.output, limits, () => {
      this.#end('OUTPUT');
    });
    this.ended = this.#conclude();
  }

  get pid(): number {
    return this.#service.sandbox.pid;
  }

  /** SIGTERM, and after the grace the end of every process. */
  cancel(): void {
    if (this.#ending !== null) return;
    this.#ending = 'CANCELLED';
    this.#log.note('NOTICE', 'The execution is being cancelled.');
    this.#service.sandbox.terminate();
    this.#grace = setTimeout(() => {
      this.#service.sandbox.kill();
    }, this.#options.cancelGraceMs());
  }

  kill(): void {
    this.#service.sandbox.kill();
  }

  #end(ending: Ending): void {
    this.#ending ??= ending;
    this.#service.sandbox.kill();
  }

  async #conclude(): Promise<ExecutionEnd> {
    const { executionId, folder, limits } = this.#options;
    const exit = await this.#service.sandbox.ended;
    clearTimeout(this.#runTime);
    if (this.#grace !== null) clearTimeout(this.#grace);
    this.#stopGuard();
    this.#service.moveTo(folder);
    const written = await keepWritten(`${folder}/written`, `${folder}/result.json`, limits.resultBytes);
    const observed: Observed = {
      exit,
      ending: this.#ending,
      written,
      tookJob: this.#service.tookJob(),
      memoryIsRefused: this.#options.memoryIsRefused,
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
      endedAt: Date.now(),
      result: verdict.outcome === 'SUCCEEDED' && written.kind === 'RESULT' ? written.result : null,
      files,
      peakMemoryBytes: exit.peakMemoryBytes,
      cpuMs: exit.cpuMs,
      logBytes: this.#log.bytes,
    };
  }

  #collect({ outcome }: Verdict): OutputFile[] {
    if (outcome === 'NOT_STARTED') return [];
    try {
      const { files, refused } = collect(`${this.#options.folder}/output`, this.#options.limits, this.#service.uid);
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
