/**
 * Builds the root of a data folder: node main.ts <data folder> [--other-python]
 * Ends with 0 when there is one, with 3 and two lines, reason and remedy, when this machine cannot.
 */
import { makeRunnerPaths } from '../paths.ts';
import { buildOwnRoot, RootNotBuilt } from './build-root.ts';

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
