export type { AskedPython } from './asked-python.ts';
export { type ArchivedFile, fileOfArchive, filesOfArchive } from './archive-files.ts';
export { pythonOfArchive } from './archive-python.ts';
export type { StoredArchive } from './stored-archive.ts';
export { askedText, pythonUnavailable } from './choose-python.ts';
export { type BuilderOptions, createBuilder } from './builder.ts';
export { createClusterImages, PlatformStops, withoutBuilds } from './cluster-images.ts';
export type { OnLine } from './build-log.ts';
export { createImageBuilder, type ImageBuilderOptions } from './image-builder.ts';
export type { LayerOnDisk, LayerStore } from './layers.ts';
export type { EnvironmentLock, ImageLock } from './lock.ts';
export type {
  Builder,
  BuildOutcome,
  BuildRequest,
  BuiltCode,
  BuiltImage,
  ImageBuilder,
  Parameter,
  PythonBuilder,
} from './outcome.ts';
export type { Resolved } from './resolve.ts';
export { BuildError } from './problem.ts';
export { unpackSource, type UnpackLimits } from './unpack.ts';
export type { BuildProblem, BuildProblemCode } from './problem.ts';
