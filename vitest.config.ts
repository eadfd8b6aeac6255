import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ALONE, IN_EACH_RUN, LONG, LONGEST, LONGEST_DEEP } from './script/test-files.ts';

/** Tests that need neither a platform nor a sandbox: they take seconds, and tell first what is broken. */
const FAST =
  /^(packages\/(client|contract|feel|service-api|workflow)|apps\/(cli|dashboard\/src)|apps\/server\/src\/foundation\/(config|http))\//;

const OWN_PROCESS = [...LONGEST, ...ALONE];

/** `npm run test:deep` sets it: long fuzzing, many kills, thousands of random processes, and nothing else. */
const deep = process.env['KETHUB_TEST_DEEP'] === '1';
/** `npm run conformance:kubernetes` and `conformance:slurm` set it: drivers on real clusters, and nothing else. */
const conformance = process.env['KETHUB_TEST_CONFORMANCE'] === '1';

/** Files that begin next, in this order. */
const FIRST = deep ? LONGEST_DEEP : [...OWN_PROCESS, ...LONG];

/** Order of files: those that failed last time, the fast ones, the longest ones, the others. */
class FastestFailureFirst extends BaseSequencer {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inEach = files.filter((file) => IN_EACH_RUN.includes(nameOf(file)));
    const others = files.filter((file) => !inEach.includes(file));
    return [...inEach, ...(await super.shard(others))];
  }

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // The files that failed last time come first, then those that took longest.
    const sorted = await super.sort(files);
    const hasFailed = (file: TestSpecification): boolean =>
      this.ctx.cache.getTestSpecificationResult(file)?.failed ?? false;
    const rankOf = (file: TestSpecification): number => {
      if (hasFailed(file)) return 0;
      const name = nameOf(file);
      if (FAST.test(name)) return 1;
      const position = FIRST.indexOf(name);
      return position < 0 ? FIRST.length + 2 : position + 2;
    };
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function nameOf(file: TestSpecification): string {
  return path.relative(import.meta.dirname, file.moduleId);
}

const usual = ['{apps,packages}/*/src/**/*.test.ts', 'test/**/*.test.ts'];

/** Patterns of the test files with this word before `.test.ts`. */
function filesNamed(word: string): string[] {
  return [`{apps,packages}/*/{src,test}/**/*.${word}.test.ts`, `test/**/*.${word}.test.ts`];
}

function project(name: string, isolate: boolean, include: readonly string[], exclude: readonly string[] = []) {
  return {
    extends: true,
    test: { name, isolate, include: [...include], exclude: ['**/node_modules/**', ...exclude] },
  } as const;
}

export default defineConfig({
  // Not below node_modules: a test run must not be in the way of an installation.
  cacheDir: '.runtime/vite',
  // Found without an installation, in a work tree whose packages are older than the lock file.
  resolve: {
    alias: [
      { find: /^@kethub\/service-api$/, replacement: path.resolve('packages/service-api/src/index.ts') },
      {
        find: /^@kethub\/service-api\/specification$/,
        replacement: path.resolve('packages/service-api/src/specification/index.ts'),
      },
    ],
  },
  test: {
    // Every log line of the run is looked through for secrets; most databases of tests are copies of a template.
    globalSetup: ['test/log-check/whole-run.ts', 'apps/server/src/testing/databases.ts'],
    setupFiles: 'test/log-check/each-file.ts',
    // Platforms that tests start in processes of their own build no dashboard beside what is tested.
    env: { KETHUB_DASHBOARD: 'off' },
    pool: 'forks',
    // Two files for each core, as many tests wait for others. Deep tests have a browser or several platforms each. With more
    // of them at a time, they only wait for each other.
    maxWorkers: deep ? 3 : 4,
    projects: deep
      ? [project('deep', true, filesNamed('deep'))]
      : conformance
        ? [project('conformance', true, filesNamed('conformance'))]
        : [
            project('own process', true, OWN_PROCESS),
            // A process runs one file after the other: modules are loaded and schemas compiled once, not for each file.
            project('shared process', false, usual, ['**/*.{deep,conformance}.test.ts', ...OWN_PROCESS]),
          ],
    sequence: { sequencer: FastestFailureFirst },
    // A test waits for what must happen. The limit only ends one that hangs, also when others use the processors.
    testTimeout: deep || conformance ? 180_000 : 60_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: deep || conformance ? 240_000 : 120_000,
    // In continuous integration a test that fails is run once more, and the report names it: a busy machine is no defect.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    reporters: ['default'],
  },
});
