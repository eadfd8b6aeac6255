export * from './types.ts';
export { connectRuntime } from './client/connect.ts';
export { checkContainers, usualEngine } from './containers/check.ts';
export { EngineUnavailable } from './containers/engine.ts';
export { missingSpace } from './free-space.ts';
export { removeTree } from './runner/discard.ts';
export { checkSandbox } from './sandbox/check.ts';
