export { currentRoot, rootsIn } from '../root/index.ts';
export { installedPythons, pythonReleases } from '../pythons/index.ts';
export { checkContainers, usualEngine } from '../containers/check.ts';
export { checkSandbox } from '../sandbox/check.ts';
export { attack, countFor, HOSTILE } from './suite.ts';
export { openContainerDriver } from './container-driver.ts';
export { openSandboxDriver } from './sandbox-driver.ts';
export type { EscapeDriver, Finding } from './types.ts';
