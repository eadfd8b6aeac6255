export { BuildError } from '../build/problem.ts';
export type { Parameter } from '../build/outcome.ts';
export { askedPython } from '../build/asked-python.ts';
export { createBuildLog } from '../build/build-log.ts';
export { buildFolder, DEFAULT_IMAGE_LIMITS } from '../build/image-of-folder.ts';
export { EngineDriver } from './engine-driver.ts';
export { askInImage, EngineProblem, packagesInImage, pythonInImage } from './engine-python.ts';
export { ENGINE_REMEDY, findEngine, type LocalEngine } from './find-engine.ts';
export { inspectBy, inspectLocally, type LocalInspection, type UnlistedImport } from './inspect-local.ts';
export type { LocalMode } from './local-process.ts';
export { LocalRuntime, type ExecutionRuntime } from './local-runtime.ts';
export { whyNoNamespace } from './namespace.ts';
export { PlainDriver } from './plain-driver.ts';
export { openSandboxed, whyNoSandbox } from './sandboxed.ts';
export {
  StartRefused,
  type Cause,
  type DataPoolMount,
  type ExecutionEnd,
  type ExecutionJob,
  type Limits,
  type LogLine,
} from '../types.ts';
