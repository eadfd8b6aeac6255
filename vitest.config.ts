import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Not below node_modules: a test run must not be in the way of an installation.
  cacheDir: '.runtime/vite',
  test: {
    // Every log line of the run is looked through for secrets.
    globalSetup: 'test/log-check/whole-run.ts',
    setupFiles: 'test/log-check/each-file.ts',
    include: ['{apps,packages}/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Each file in its own process, so that a leak shows in its file; three at a time, as many tests wait for others.
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
