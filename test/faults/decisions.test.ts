import { expect, test } from 'vitest';
import { decisionOf, errandOf, wishOf } from './decisions.ts';
import { faults } from './faults.ts';
import { modes } from './service.ts';

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
