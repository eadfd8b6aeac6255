import type { Readable } from 'node:stream';
import type { BuildRequest, LayerStore, Resolved } from '@kethub/runtime/build';
import type { BuildProblem, ExecutionRecord, LogEntry, ServiceParameter } from '@kethub/contract';
import type { Static } from 'typebox';

/** The environment in the record of an execution. */
export type EnvironmentLock = NonNullable<ExecutionRecord['environment']>;

/** The interface of a built service, as far as the build found it. */
export interface BuiltInterface {
  readonly parameters: readonly Static<typeof ServiceParameter>[];
  /** JSON Schema of what run() returns, or null where none is known. */
  readonly result: unknown;
}

/** The outcome of a build of Python code: paths relative to the runtime folder, so that the data folder can be moved. */
export interface BuiltCode extends BuiltInterface {
  /** Folder of the unpacked source, relative to the runtime folder. */
  readonly source: string;
  /** Folder of the installed requirements, or null without any. */
  readonly layer: string | null;
  /** Exact versions and hashes of the requirements; not there when it was built before these were kept. */
  readonly resolved?: Resolved | null;
  /** The Python that it was built for; not there when it was built before services could choose. */
  readonly python?: string;
  /** Modules worth importing before a job comes. */
  readonly imports: readonly string[];
}

/** The outcome of a build with a Dockerfile: the name of an image at the container engine of the worker. */
export interface BuiltImage extends BuiltInterface {
  readonly image: string;
}

export type Built = BuiltCode | BuiltImage;

export type BuildOutcome<B extends Built = Built> =
  | { readonly ok: true; readonly built: B }
  | { readonly ok: false; readonly problem: BuildProblem };

/** Turns an uploaded ZIP into code that can be run. Building the same content again is cheap and changes nothing. */
export interface Builder<B extends Built = Built> {
  build(
    archive: Readable,
    digest: string,
    onLine: (entry: LogEntry) => void,
    signal: AbortSignal,
    request?: BuildRequest,
  ): Promise<BuildOutcome<B>>;
  /** Whether what was built is (still) on this machine. */
  isPresent(built: B): Promise<boolean>;
  /** The versions of Python that services can have on this machine; absent where services bring their own. */
  pythons?(): Promise<readonly string[]>;
  /** Removes what was built from sources that nobody needs any more, where that is not left to the operator. */
  sweep?(areNeeded: (digests: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
}

/** The builders of a worker, by what they build. */
export interface Builders {
  readonly PYTHON_TEMPLATE: Builder<BuiltCode> & {
    /** The Python and the packages that it runs with on this machine. */
    lockOf(built: Pick<BuiltCode, 'layer' | 'python'>): Promise<EnvironmentLock>;
    /** The layers of this machine, for its operator. */
    readonly layers: LayerStore;
  };
  /** null without a container engine. */
  readonly DOCKER:
    | (Builder<BuiltImage> & {
        /** The image itself, whatever it is called. */
        lockOf(built: Pick<BuiltImage, 'image'>): Promise<EnvironmentLock>;
      })
    | null;
}
