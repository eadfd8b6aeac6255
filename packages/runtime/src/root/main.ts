/**
 * Builds the root of a data folder: `node main.ts <data folder> [--other-python]`. Exits with 0 when there is a root.
 * If this machine cannot build one, it exits with 3 and prints reason and remedy, a line each.
 */
import { makeRunnerPaths } from '../paths.ts';
import { buildOwnRoot } from './build-root.ts';
import { RootNotBuilt } from './debian-packages.ts';

const [dataDir = '', ...options] = process.argv.slice(2);
try {
  const say = (line: string): void => {
    console.error(line);
  };
  await buildOwnRoot(makeRunnerPaths(dataDir).runtimeDir, { otherPython: options.includes('--other-python'), say });
} catch (error) {
  if (!(error instanceof RootNotBuilt)) throw error;
  console.error(`${error.message}\n${error.remedy}`);
  process.exitCode = 3;
}
