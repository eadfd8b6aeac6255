import type { Readable } from 'node:stream';
import type { BuildOutcome, OnLine } from '../build/index.ts';
import type { ExecutionEnd, ExecutionJob, Limits, LogLine, Runtime } from '../types.ts';
import type { HostileEntry } from './hostile-zip.ts';
import type { Hints, Traps } from './traps.ts';

/** Builds uploads as the installation does. */
export interface EscapeBuilder {
  build(archive: Readable, digest: string, onLine: OnLine, signal: AbortSignal): Promise<BuildOutcome<object>>;
}

/** A way to run user code, as the suite attacks it. It can wrap every driver of {@link Runtime}. */
export interface EscapeDriver {
  /** The name that is shown: `sandbox`, `container`. */
  readonly name: string;
  readonly runtime: Runtime;
  /** Code that runs the hostile program of this name: `run(**input)` of packages/runtime/escapes. */
  program(name: string): Promise<Pick<ExecutionJob, 'code' | 'environment'>>;
  /** @param environment holds the operator's settings of pip. */
  builder(environment: NodeJS.ProcessEnv): EscapeBuilder;
  /** The files of a harmless upload. */
  readonly honest: readonly HostileEntry[];
  /** The hostile uploads for this driver. */
  readonly builds: readonly HostileBuild[];
  /** The id of an image at the engine. */
  imageId?(image: string): Promise<string>;
  /** The folder with everything that this machine keeps of an ended execution. */
  folderOf(executionId: string): string;
  /** Folders of the platform, for programs that know where to look. */
  readonly folders: readonly string[];
  /** Sockets by which the platform reaches the runner and the engine. */
  readonly sockets: readonly string[];
  close(): Promise<void>;
}

/** The report of a program: each attempt ended as `refused: …` or `done: …`. */
export interface Report {
  tried: Record<string, string>;
  seen?: unknown;
}

/** One ended execution of a hostile program, seen from outside. */
export interface Seen {
  end: ExecutionEnd;
  report: Report | null;
  /** Processor time of the runner from its start to its end, in milliseconds. */
  runnerMs: number;
  log: readonly LogLine[];
  /** Bytes and entries that the execution takes on the disk, its files included. */
  left: { bytes: number; entries: number };
}

/** A hostile program that runs as a service: `packages/runtime/escapes/<name>.py`. */
export interface HostileRun {
  name: string;
  /** Description of the attempt, for people. */
  tries: string;
  limits?: Partial<Limits>;
  /** Hosts that it declares, as `host:port`. */
  hosts?: (hints: Hints) => string[];
  environment?: ExecutionJob['environment'];
  /** Cancelled when it has printed `ready`. */
  cancelled?: true;
  /**
   * Returns the barriers that did not hold, in words. Default `allRefused`. The {@link Traps} are checked
   * besides.
   */
  judge?: (seen: Seen, limits: Limits) => string[];
}

/** A hostile upload. Its attack returns the protections that failed. */
export interface HostileBuild {
  name: string;
  tries: string;
  attack(driver: EscapeDriver, traps: Traps): Promise<string[]>;
}

export interface Finding {
  driver: string;
  name: string;
  tries: string;
  contained: boolean;
  /** Protections that failed, in words. */
  faults: string[];
}
