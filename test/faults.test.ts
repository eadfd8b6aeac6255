import { expect, test } from 'vitest';
import { runFaults } from './faults/run.ts';

const seed = Number(process.env['KETHUB_TEST_SEED'] ?? Date.now() % 1_000_000);

// The long run, with 200 kills of everything, is `npm run faults`.
test.each([
  ['sqlite', 50, 'the platform', ['platform'], null],
  ['postgres', 12, 'everything', null, 3_000],
] as const)(
  `on %s with %d kills of %s at random moments nothing is lost, run twice, stuck or left behind (KETHUB_TEST_SEED=${seed})`,
  { timeout: 300_000 },
  async (database, kills, _what, only, outageMs) => {
    const report = await runFaults({ seed, kills, only, database, diskMb: null, outageMs, pauseMs: 400 });
    expect(report.wrong, JSON.stringify(report)).toEqual([]);
    expect(report.promised).toBeGreaterThan(kills);
  },
);
