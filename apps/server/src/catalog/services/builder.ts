import type { Readable } from 'node:stream';
import type { BuildRequest, LayerStore, Resolved } from '@kethub/runtime/build';
import type { BuildProblem, ExecutionRecord, LogEntry, ServiceParameter } from '@kethub/contract';
import type { Static } from 'typebox';

/** The environment that the record of an execution names. */
export type EnvironmentLock = NonNullable<ExecutionRecord['environment']>;

/** The interface of a built service, as far as the build could derive it. */
interface BuiltInterface {
  readonly parameters: readonly Static<typeof ServiceParameter>[];
  /** JSON Schema of what run() returns, or null where none is known. */
  readonly result: unknown;
}

/**
 * The outcome of a build of Python code. Paths are relative to the runtime folder, so that the data folder can be
 * moved.
 */
export interface BuiltCode extends BuiltInterface {
  /** Folder of the unpacked source, relative to the runtime folder. */
  readonly source: string;
  /** Folder of the installed requirements, or null without any. */
  readonly layer: string | null;
  /** Exact versions and hashes of the requirements; absent for versions built before these were stored. */
  readonly resolved?: Resolved | null;
  /** The version of Python; absent for versions built before services could choose one. */
  readonly python?: string;
  /** Modules worth importing before a job comes. */
  readonly imports: readonly string[];
}

/** The outcome of a build with a Dockerfile: an image at the container engine of the worker, or in a registry. */
export interface BuiltImage extends BuiltInterface {
  /** Its name at the engine, or its digest in a registry: `name@sha256:…`. */
  readonly image: string;
  /** Its command, its empty volumes, and the platform that it is for; only for an image of a registry. */
  readonly command?: string[];
  readonly volumes?: string[];
  readonly platform?: string;
}

export type Built = BuiltCode | BuiltImage;

export type BuildOutcome<B extends Built = Built> =
  | { readonly ok: true; readonly built: B }
  | { readonly ok: false; readonly problem: BuildProblem };

/** Builds an uploaded ZIP. Building the same content again is cheap and changes nothing. */
export interface Builder<B extends Built = Built> {
  build(
    archive: Readable,
    digest: string,
    onLine: (entry: LogEntry) => void,
    signal: AbortSignal,
    request?: BuildRequest,
  ): Promise<BuildOutcome<B>>;
  /** Returns whether the outcome of the build is still on this machine. */
  isPresent(built: B): Promise<boolean>;
  /** The versions of Python that services can have on this machine; absent where services bring their own. */
  pythons?(): Promise<readonly string[]>;
  /** Removes the outcomes of builds whose source no version needs. Absent where the operator removes them. */
  sweep?(areNeeded: (digests: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
}

/** The builders of a worker, one for each runtime. */
export interface Builders {
  readonly PYTHON_TEMPLATE: Builder<BuiltCode> & {
    /** The Python and the packages with which the code runs on this machine. */
    lockOf(built: Pick<BuiltCode, 'layer' | 'python'>): Promise<EnvironmentLock>;
    /** The layers of this machine, for its operator. */
    readonly layers: LayerStore;
  };
  /** The builder of container images; null without a container engine and without a registry. */
  readonly DOCKER:
    | (Builder<BuiltImage> & {
        /** The digest of the image, which does not depend on its name. */
        lockOf(built: Pick<BuiltImage, 'image' | 'platform'>): Promise<EnvironmentLock>;
      })
    | null;
}
