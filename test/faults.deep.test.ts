import { expect, test } from 'vitest';
import { amounts } from '@kethub/server/testing/amounts';
import { testEngine } from '@kethub/runtime/testing/images';
import { runFaults } from './faults/run.ts';

/** Milliseconds, longer than the lease of a job. */
const stillMs = 15_000;
const seed = Number(process.env['KETHUB_TEST_SEED'] ?? Date.now() % 1_000_000);

/** Every second seed has a process for each role on PostgreSQL. */
const isApart = seed % 2 === 1;

// The long run, with 200 kills of everything, is `npm run faults`.
test.each([
  [
    'sqlite',
    amounts.faultsOfPlatform,
    'the platform, and stand-stills,',
    ['platform', 'still-platform', 'still-runner'],
    null,
    false,
  ],
  ['postgres', amounts.faultsOfEverything, isApart ? 'everything, roles apart,' : 'everything', null, 3_000, isApart],
] as const)(
  `on %s with %d kills of %s at random moments nothing is lost, run twice, stuck or left behind (KETHUB_TEST_SEED=${seed})`,
  { timeout: 600_000 },
  async (database, kills, _what, only, outageMs, apart) => {
    const plan = { seed, kills, only, database, apart, diskMb: null, outageMs, pauseMs: 400, stillMs };
    const report = await runFaults(plan);
    expect(report.wrong, JSON.stringify(report)).toEqual([]);
    // On a busy machine less can be promised between one kill and the next.
    expect(report.promised).toBeGreaterThan(kills / 5);
  },
);

// A container engine of its own, because the test kills it.
test.skipIf(testEngine === null)(
  `with 3 kills of the container engine the same holds for executions in containers (KETHUB_TEST_SEED=${seed})`,
  { timeout: 600_000 },
  async () => {
    const plan = {
      seed,
      kills: 3,
      only: ['engine'],
      database: 'sqlite',
      diskMb: null,
      outageMs: null,
      pauseMs: 800,
    } as const;
    const report = await runFaults({ ...plan, withEngine: true });
    expect(report.wrong, JSON.stringify(report)).toEqual([]);
    expect(report.happened).toEqual({ engine: 3 });
    expect(report.promised).toBeGreaterThan(3);
  },
);
