import type { Readable } from 'node:stream';
import type { BuildProblem, ExecutionRecord, LogEntry, ServiceParameter } from '@kethub/contract';
import type { Static } from 'typebox';

/** What a record says of an environment. */
export type EnvironmentLock = NonNullable<ExecutionRecord['environment']>;

/** What a successful build leaves: keys of content below the runtime folder, so that the data folder can be moved. */
export interface BuiltCode {
  /** Folder of the unpacked source, relative to the runtime folder. */
  readonly source: string;
  /** Folder of the installed requirements, or null without any. */
  readonly layer: string | null;
  /** Modules worth importing before a job comes. */
  readonly imports: readonly string[];
  readonly parameters: readonly Static<typeof ServiceParameter>[];
  /** JSON Schema of what run() returns, or null where none is known. */
  readonly result: unknown;
}

export type BuildOutcome =
  | { readonly ok: true; readonly built: BuiltCode }
  | { readonly ok: false; readonly problem: BuildProblem };

/** Turns an uploaded ZIP into code that can be run. Building the same content again is cheap and changes nothing. */
export interface Builder {
  build(
    archive: Readable,
    digest: string,
    onLine: (entry: LogEntry) => void,
    signal: AbortSignal,
  ): Promise<BuildOutcome>;
  /** The Python and the packages that it runs with on this machine. */
  lockOf(built: Pick<BuiltCode, 'layer'>): Promise<EnvironmentLock>;
  /** Whether what was built is (still) on this machine. */
  isPresent(built: Pick<BuiltCode, 'source' | 'layer'>): boolean;
}
