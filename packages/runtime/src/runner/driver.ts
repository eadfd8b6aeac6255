import type { Exit } from '../sandbox/sandbox.ts';
import type { DataPoolMount, Limits } from '../types.ts';
import type { LineSink } from './log-file.ts';
import type { Bounds } from './measure-folder.ts';
import type { Moment } from './moment.ts';
import type { Layer } from './output-guard.ts';
import type { Written } from './result.ts';

/**
 * One run of user code by a driver (the sandbox, a container engine), prepared but not started. `Execution` does
 * what all drivers have in common: log, limits of time and output, cancellation, files, verdict and record. A driver
 * shares only folders with the code; a driver for another machine copies them there and back.
 */
export interface Run {
  /** Its first process on this machine; 0 while or where there is none. */
  readonly pid: number;
  /** The folder of its result files while it runs, and the owner of these files (null: our own user). */
  readonly output: string;
  readonly uid: number | null;
  /** The writable data pools. Undefined means none. */
  readonly pools?: readonly DataPoolMount[];
  /** All its processes that this machine shows. */
  processes(): readonly number[];
  /**
   * Measures what the program has changed in its image, where the driver has images. It counts as output while the
   * program runs.
   */
  layer?(bounds: Bounds): Promise<Layer>;
  /** Resolves when no process of it lives and all its output was delivered. Never rejects. */
  readonly ended: Promise<Exit>;
  /**
   * Resolves when its start has succeeded, as far as that shows soon. A run that ends before, without having run, was
   * refused.
   */
  readonly settled: Promise<unknown>;
  /**
   * Resolves when the program has begun, where it may have to wait for a place, with the milliseconds since then. The limit
   * of the run time counts from then. Without it, the limit counts from the start.
   */
  readonly begins?: Promise<number>;
  /** True when a program that exits with 0 and writes no result has an empty one. */
  readonly resultIsOptional: boolean;
  /** A file of its output folder that is its result. It is listed with the result files, but not counted. */
  readonly resultFile?: string;
  /** Delivers its output, from the first line on. Called once. */
  follow(sink: LineSink): void;
  /** Discards further lines, without blocking the program. */
  drop(): void;
  /** Lets the code run. Called once, when the claim is on the disk. */
  start(): void;
  /** Sends SIGTERM. */
  terminate(): void;
  kill(): void;
  /**
   * Called when the runner ends. A run that can outlive the runner goes on, and the next runner takes it over; any
   * other ends.
   */
  abandon(): void;
  /** False when the code has certainly not run. Asked after the end. */
  tookJob(): boolean;
  /** Brings its output to the folder of the execution and reads its result. */
  readResult(limits: Limits): Promise<Written>;
  /** Frees what the driver keeps of it. Called when its end is recorded, or its start was refused. */
  release(): Promise<void>;
  /** The beginning of the message of a refusal; the reason follows. */
  readonly refusal: string;
}

/** A run that an earlier runner has begun, and that goes on. */
export interface LeftRun {
  readonly run: Run;
  readonly limits: Limits;
  readonly start: Moment;
}
