import type { Exit } from '../sandbox/sandbox.ts';
import type { DataPoolMount, Limits } from '../types.ts';
import type { LineSink } from './log-file.ts';
import type { Bounds } from './measure-folder.ts';
import type { Layer } from './output-guard.ts';
import type { Written } from './result.ts';

/**
 * One run of user code by a driver (the sandbox, a container engine), prepared but not started. What is common to all
 * drivers is done by {@link Execution}: log, limits of time and output, cancellation, files, verdict and record. Nothing is
 * shared with the code but folders: a driver for another machine brings them there and back.
 */
export interface Run {
  /** On this machine; 0 while or where there is none. */
  readonly pid: number;
  /** Where it writes its result files while it runs, and who owns them there (null: we do). */
  readonly output: string;
  readonly uid: number | null;
  /** The writable data pools; none without it. */
  readonly pools?: readonly DataPoolMount[];
  /** All of its processes that this machine shows us. */
  processes(): readonly number[];
  /** Measures what the program has changed of its image, where a driver lets it. That counts as output while it runs. */
  layer?(bounds: Bounds): Promise<Layer>;
  /** When nothing of it lives any more and all that it printed was delivered. Never rejects. */
  readonly ended: Promise<Exit>;
  /** When its start has succeeded as far as can be known soon: one that ends before, without having run, was refused. */
  readonly settled: Promise<unknown>;
  /** A program that ends well without a result has an empty one. */
  readonly resultIsOptional: boolean;
  /** A file of its output folder that is its result: listed, but not counted, among the result files. */
  readonly resultFile?: string;
  /** Delivers what it prints, from the first line on. Called once. */
  follow(sink: LineSink): void;
  /** Nobody wants more lines; the program is not stopped by that. */
  drop(): void;
  /** Lets the code run. Called once, when the claim is on the disk. */
  start(): void;
  /** SIGTERM. */
  terminate(): void;
  kill(): void;
  /** The runner ends: a run that cannot outlive it ends too, any other is taken up by the next runner. */
  abandon(): void;
  /** False when the code has certainly not run. Asked after the end. */
  tookJob(): boolean;
  /** Brings what it left to the folder of the execution and reads its result. */
  readResult(limits: Limits): Promise<Written>;
  /** Frees what the driver keeps of it. Called when its end is recorded, or it was refused. */
  release(): Promise<void>;
  /** The words for a refusal, before its reason. */
  readonly refusal: string;
}
