import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildDashboard } from '@kethub/server/dashboard/build';
import { sizesOf } from '../sizes.ts';

interface Budgets {
  readonly first: { readonly js: number; readonly css: number; readonly font: number };
  /** Parts that are loaded later and may be large, each with its most bytes. */
  readonly later: Readonly<Record<string, number>>;
  /** The most bytes of every other part. */
  readonly others: number;
}

test('the first visit and every later part stay within the bytes of budgets.json', async () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../budgets.json'), 'utf8');
  const budgets = JSON.parse(text) as Budgets;
  const { first, later } = sizesOf(await buildDashboard(new AbortController().signal));
  const beyond = [
    ...(['js', 'css', 'font'] as const)
      .filter((kind) => first[kind] > budgets.first[kind])
      .map((kind) => `${kind} of the first visit: ${first[kind]}`),
    ...Object.entries(later)
      .filter(([part, bytes]) => bytes > (budgets.later[part] ?? budgets.others))
      .map(([part, bytes]) => `${part}: ${bytes}`),
  ];
  expect(beyond).toEqual([]);
  expect(Object.keys(budgets.later).filter((part) => !(part in later))).toEqual([]);
}, 240_000);
