export { makeRunnerPaths } from '../paths.ts';
export { buildOwnRoot, RootNotBuilt, takeRoots } from './build-root.ts';
export { keepOwnRoot, type RootKeeper } from './keep-root.ts';
export { currentRoot, rootsIn, type OwnRoot } from './own-root.ts';
