import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They take minutes: one of them that begins last is waited for while nothing else is left to do. */
const LONGEST = [
  'test/faults.deep.test.ts',
  'test/fuzz.deep.test.ts',
  'apps/server/src/people/accounts/deletion-kill.deep.test.ts',
  'packages/runtime/src/escapes/escapes.test.ts',
  'test/processes.test.ts',
  'test/faults.test.ts',
  'test/documented-commands.test.ts',
];

/** `npm run test:deep` sets it: long fuzzing, many kills, thousands of random processes, and nothing else. */
const deep = process.env['KETHUB_TEST_DEEP'] === '1';

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = (file: TestSpecification): number =>
      LONGEST.toReversed().indexOf(path.relative(import.meta.dirname, file.moduleId));
    return sorted.toSorted((one, other) => placeOf(other) - placeOf(one));
  }
}

export default defineConfig({
  // Not below node_modules: a test run must not be in the way of an installation.
  cacheDir: '.runtime/vite',
  test: {
    // Every log line of the run is looked through for secrets.
    globalSetup: 'test/log-check/whole-run.ts',
    setupFiles: 'test/log-check/each-file.ts',
    include: deep
      ? ['{apps,packages}/*/src/**/*.deep.test.ts', 'test/**/*.deep.test.ts']
      : ['{apps,packages}/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(deep ? [] : ['**/*.deep.test.ts'])],
    // Each file in its own process, so that a leak shows in its file; three at a time, as many tests wait for others.
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
