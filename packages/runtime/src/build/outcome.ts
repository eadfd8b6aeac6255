import type { Readable } from 'node:stream';
import type { OnLine } from './build-log.ts';
import type { LayerStore } from './layers.ts';
import type { EnvironmentLock, ImageLock } from './lock.ts';
import type { BuildProblem } from './problem.ts';
import type { Resolved } from './resolve.ts';

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

/** The product of a successful build: names of content below `<dataDir>/runtime`, so that the data folder can be moved. */
export interface BuiltCode {
  /** Folder of the unpacked source: `sources/<digest>`. */
  source: string;
  /** Folder of the installed requirements: `layers/<key>`, or null without any. */
  layer: string | null;
  /** The resolved requirements, which name the layer; null without any. */
  resolved: Resolved | null;
  /** The Python that it was built for, for example `3.12`; not there when it was built before services could choose. */
  python?: string;
  /** Modules worth importing before a job comes. */
  imports: string[];
  parameters: Parameter[];
  /** JSON Schema of what `run` returns, or null where none is known. */
  result: unknown;
}

/** The product of a successful build of an image. The parameters of an image cannot be found out. */
export interface BuiltImage {
  /** Its name at the engine of this machine. */
  image: string;
  parameters: Parameter[];
  result: null;
}

export type BuildOutcome<Built = BuiltCode> = { ok: true; built: Built } | { ok: false; problem: BuildProblem };

/** Demands on a build beside its source. */
export interface BuildRequest {
  /** The requirements as an earlier build resolved them: the same is installed again, whatever the index has by now. */
  resolved?: Resolved | null;
  /** The Python that its configuration names, for example `3.12`; null or left out, what the source says counts. */
  python?: string | null;
  /** Whether packages that exist as source code only are built, in a sandbox without a network. Default false. */
  sourcePackages?: boolean;
}

/** Turns the ZIP of a project into something that can be run. */
export interface Builder<
  Built extends object = BuiltCode,
  Key = { readonly source: string; readonly layer: string | null; readonly python?: string },
> {
  /**
   * Unpacks, installs, inspects and compiles. The same content again takes the time of the inspection and changes nothing.
   * Faults of the upload are an outcome. Faults of the platform are thrown, and so is the reason of `signal`.
   * Nothing is left behind unless the outcome is good.
   * @param digest SHA-256 of the archive in hexadecimal digits.
   */
  build(
    archive: Readable,
    digest: string,
    onLine: OnLine,
    signal: AbortSignal,
    request?: BuildRequest,
  ): Promise<BuildOutcome<Built>>;
  /** Whether what was built is (still) on this machine. */
  isPresent(built: Key): Promise<boolean>;
}

export interface PythonBuilder extends Builder {
  /** The versions of Python that services can have on this machine, the usual one first. */
  pythons(): Promise<string[]>;
  /** The layers of this machine, for its operator. */
  readonly layers: LayerStore;
  /** The Python and the packages that it runs with on this machine. */
  lockOf(built: { readonly layer: string | null; readonly python?: string }): Promise<EnvironmentLock>;
}

export interface ImageBuilder extends Builder<BuiltImage, { readonly image: string }> {
  /** Returns what the engine has under the name of an image. @throws when it is not there. */
  lockOf(built: { readonly image: string }): Promise<ImageLock>;
  /** Removes images whose source nobody needs any more. Asked for the digests of all that are there, `areNeeded` answers with those that stay. */
  sweep(areNeeded: (digests: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
}
