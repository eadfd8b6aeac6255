export { currentRoot, rootsIn } from '../root/index.ts';
export { checkSandbox } from '../sandbox/check.ts';
export { attack, HOSTILE } from './suite.ts';
export { openSandboxDriver } from './sandbox-driver.ts';
export type { EscapeDriver, Finding } from './types.ts';
