import { expect, test } from 'vitest';
import { testEngine } from '../packages/runtime/src/testing/images.ts';
import { decisionOf, errandOf, wishOf } from './faults/decisions.ts';
import { faults } from './faults/faults.ts';
import { runFaults } from './faults/run.ts';
import { modes } from './faults/service.ts';

const seed = Number(process.env['KETHUB_TEST_SEED'] ?? Date.now() % 1_000_000);

// The long run, with 200 kills of everything, is `npm run faults`.
test.each([
  ['sqlite', 50, 'the platform', ['platform'], null],
  ['postgres', 12, 'everything', null, 3_000],
] as const)(
  `on %s with %d kills of %s at random moments nothing is lost, run twice, stuck or left behind (KETHUB_TEST_SEED=${seed})`,
  { timeout: 600_000 },
  async (database, kills, _what, only, outageMs) => {
    const report = await runFaults({ seed, kills, only, database, diskMb: null, outageMs, pauseMs: 400 });
    expect(report.wrong, JSON.stringify(report)).toEqual([]);
    // On a busy machine there is less time to promise something between one kill and the next.
    expect(report.promised).toBeGreaterThan(kills / 5);
  },
);

// Of its own, because it is killed.
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

test('a seed decides the same faults and the same load again, whatever became of those before', () => {
  const decided = (seed: number, drawn: number) =>
    Array.from({ length: 200 }, (_, number) => {
      const { fault, pauseMs, random } = decisionOf(seed, number, faults, 800);
      for (let draw = 0; draw < drawn; draw++) random();
      return { fault, pauseMs, wish: wishOf(seed, number, 100), errand: errandOf(seed, number, 100) };
    });
  expect(decided(7, 0)).toEqual(decided(7, 3));
  expect(decided(8, 0)).not.toEqual(decided(7, 0));
  // Of each kind there is something in a run of 200.
  expect(new Set(decided(7, 0).map(({ fault }) => fault))).toEqual(new Set(faults.map(({ name }) => name)));
  expect(new Set(decided(7, 0).map(({ wish }) => wish.mode))).toEqual(new Set(modes));
});
