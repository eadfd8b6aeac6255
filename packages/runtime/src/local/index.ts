export { BuildError } from '../build/problem.ts';
export type { Parameter } from '../build/outcome.ts';
export { removeTree } from '../runner/discard.ts';
export { inspectLocally, type LocalInspection, type UnlistedImport } from './inspect-local.ts';
export type { LocalMode } from './local-process.ts';
export { LocalRuntime, sitePackagesIn, type ExecutionRuntime } from './local-runtime.ts';
export { whyNoNamespace } from './namespace.ts';
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
