export * from './types.ts';
export { connectRuntime } from './client/connect.ts';
export { checkSandbox } from './sandbox/check.ts';
