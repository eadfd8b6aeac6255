import { expect, test } from 'vitest';
import { amounts } from '@kethub/server/testing/amounts';
import { decisionOf, errandOf, wishOf } from './faults/decisions.ts';
import { faults } from './faults/faults.ts';
import { runFaults } from './faults/run.ts';
import { modes } from './faults/service.ts';

const seed = Number(process.env['KETHUB_TEST_SEED'] ?? Date.now() % 1_000_000);

// More kills, of everything and on both databases, are in faults.deep.test.ts; 200 are `npm run faults`.
test(
  `with ${amounts.killsUnderLoad} kills of the platform at random moments nothing is lost, run twice, stuck or left behind (KETHUB_TEST_SEED=${seed})`,
  { timeout: 600_000 },
  async () => {
    const plan = { seed, only: ['platform'], database: 'sqlite', diskMb: null, outageMs: null } as const;
    const report = await runFaults({ ...plan, kills: amounts.killsUnderLoad, pauseMs: 400 });
    expect(report.wrong, JSON.stringify(report)).toEqual([]);
    expect(report.promised).toBeGreaterThan(0);
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
  // A run contains every kind, also a short one.
  const first = decided(7, 0).slice(0, faults.length);
  expect(new Set(first.map(({ fault }) => fault))).toEqual(new Set(faults.map(({ name }) => name)));
  expect(new Set(decided(7, 0).map(({ wish }) => wish.mode))).toEqual(new Set(modes));
});
