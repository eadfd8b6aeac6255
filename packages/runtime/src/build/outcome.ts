import type { Readable } from 'node:stream';
import type { LogLine } from '../types.ts';
import type { EnvironmentLock } from './lock.ts';
import type { BuildProblem } from './problem.ts';

/** One parameter of `run`, as its signature declares it. */
export interface Parameter {
  name: string;
  kind: 'data' | 'secret' | 'dataPool' | 'other';
  required: boolean;
  /** The annotation as text, or null without one. */
  annotation: string | null;
  /** JSON Schema of the annotation, or null where none is known. */
  schema: unknown;
}

/** What a successful build leaves: names of content below `<dataDir>/runtime`, so that the data folder can be moved. */
export interface BuiltCode {
  /** Folder of the unpacked source: `sources/<digest>`. */
  source: string;
  /** Folder of the installed requirements: `layers/<key>`, or null without any. */
  layer: string | null;
  /** Modules worth importing before a job comes. */
  imports: string[];
  parameters: Parameter[];
  /** JSON Schema of what `run` returns, or null where none is known. */
  result: unknown;
}

export type BuildOutcome = { ok: true; built: BuiltCode } | { ok: false; problem: BuildProblem };

/** Told line by line what a build does, in words for the person who uploaded the code. */
export type OnLine = (line: LogLine) => void;

/** Turns the ZIP of a project into code that can be run. */
export interface Builder {
  /**
   * Unpacks, installs, inspects and compiles. The same content again takes the time of the inspection and changes nothing.
   * What is wrong with the upload is an outcome; what is wrong with the platform is thrown, and so is the reason of `signal`.
   * Nothing is left behind unless the outcome is good.
   * @param digest SHA-256 of the archive in hexadecimal digits.
   */
  build(archive: Readable, digest: string, onLine: OnLine, signal: AbortSignal): Promise<BuildOutcome>;
  /** The Python and the packages that it runs with on this machine. */
  lockOf(built: { readonly layer: string | null }): Promise<EnvironmentLock>;
  /** Whether what was built is (still) on this machine. */
  isPresent(built: { readonly source: string; readonly layer: string | null }): boolean;
}
