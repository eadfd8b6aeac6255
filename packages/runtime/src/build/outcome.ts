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
  /** Text of the docstring of `run` about it, or null. */
  description: string | null;
  /** JSON Schema of the annotation with the default, or null where none is known. */
  schema: unknown;
  accepts: Accepts;
}

/**
 * Degree to which the schema says what a parameter takes. STRICT: it decides. LAX: Pydantic also makes numbers and booleans of
 * text. NONE: only the program knows.
 */
export type Accepts = (typeof ACCEPTS)[number];
export const ACCEPTS = ['STRICT', 'LAX', 'NONE'] as const;

/**
 * The product of a successful build. It names content relative to `<dataDir>/runtime`, so that the data folder can be
 * moved.
 */
export interface BuiltCode {
  /** Folder of the unpacked source: `sources/<digest>`. */
  source: string;
  /** Folder of the installed requirements: `layers/<key>`; null without any. */
  layer: string | null;
  /** The resolved requirements, which name the layer; null without any. */
  resolved: Resolved | null;
  /** The Python that it was built for, for example `3.12`. Missing in builds from before services could choose. */
  python?: string;
  /** Modules worth importing before a job comes. */
  imports: string[];
  parameters: Parameter[];
  /** JSON Schema of the value that `run` returns, or null where none is known. */
  result: unknown;
}

/** The product of a successful build of an image. The parameters of an image are unknown. */
export interface BuiltImage {
  /** Its name at the engine of this machine, or its digest in a registry: `name@sha256:…`. */
  image: string;
  /** ENTRYPOINT and CMD, the declared volumes that are empty, and the platform; only for an image of a registry. */
  command?: string[];
  volumes?: string[];
  platform?: string;
  parameters: Parameter[];
  result: null;
}

export type BuildOutcome<Built = BuiltCode> = { ok: true; built: Built } | { ok: false; problem: BuildProblem };

/** Demands on a build besides its source. */
export interface BuildRequest {
  /**
   * The requirements as an earlier build resolved them. The same packages are installed again, whatever the index
   * offers now.
   */
  resolved?: Resolved | null;
  /** The Python in the service's configuration, for example `3.12`. Without one, the source decides. */
  python?: string | null;
  /** True if packages that exist as source code only are built, in a sandbox without a network. Default false. */
  sourcePackages?: boolean;
}

/** Turns the ZIP of a project into something that can be run. */
export interface Builder<
  Built extends object = BuiltCode,
  Key = { readonly source: string; readonly layer: string | null; readonly python?: string },
> {
  /**
   * Unpacks, installs, inspects and compiles. For the same content again it only inspects, and changes nothing. Faults
   * of the upload are an outcome. Faults of the platform, and the reason of `signal`, are thrown. Unless the outcome is
   * good, nothing stays on the disk.
   * @param digest SHA-256 of the archive in hexadecimal digits.
   */
  build(
    archive: Readable,
    digest: string,
    onLine: OnLine,
    signal: AbortSignal,
    request?: BuildRequest,
  ): Promise<BuildOutcome<Built>>;
  /** Returns whether the product of a build is (still) on this machine. */
  isPresent(built: Key): Promise<boolean>;
}

export interface PythonBuilder extends Builder {
  /** The versions of Python that services can have on this machine. The usual one comes first. */
  pythons(): Promise<string[]>;
  /** The layers of this machine, for its operator. */
  readonly layers: LayerStore;
  /** The Python and the packages that it runs with on this machine. */
  lockOf(built: { readonly layer: string | null; readonly python?: string }): Promise<EnvironmentLock>;
}

export interface ImageBuilder extends Builder<BuiltImage, { readonly image: string }> {
  /**
   * Returns the image that the engine has under this name.
   * @throws when the engine has none.
   */
  lockOf(built: { readonly image: string; readonly platform?: string }): Promise<ImageLock>;
  /**
   * Removes images whose source nobody needs any more. `areNeeded` gets the digests of all images and returns those to
   * keep.
   */
  sweep(areNeeded: (digests: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void>;
}
