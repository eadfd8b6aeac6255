export { makeRunnerPaths } from '../paths.ts';
export { buildOwnRoot, takeRoots } from './build-root.ts';
export { downloadPackages, RootNotBuilt } from './debian-packages.ts';
export { keepOwnRoot, type RootKeeper } from './keep-root.ts';
export { currentRoot, rootsIn, type OwnRoot } from './own-root.ts';
