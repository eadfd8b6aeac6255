import { expect, test } from 'vitest';
import { buildDashboard } from '@kethub/server/dashboard/build';
import { budgets } from '../budgets.ts';
import { sizesOf } from '../sizes.ts';

test('the first visit, the large pages and every later part stay within the bytes of budgets.json', async () => {
  const { first, pages, later } = sizesOf(await buildDashboard(new AbortController().signal));
  const beyond = (what: string, found: Readonly<Record<string, number>>, most: Readonly<Record<string, number>>) =>
    Object.entries(found)
      .filter(([name, bytes]) => bytes > (most[name] ?? budgets.others))
      .map(([name, bytes]) => `${what} ${name}: ${bytes}`);
  expect([
    ...beyond('first visit,', first, budgets.first),
    ...beyond('page', pages, budgets.pages),
    ...beyond('part', later, budgets.later),
  ]).toEqual([]);
  expect(Object.keys(budgets.later).filter((part) => !(part in later))).toEqual([]);
  expect(Object.keys(pages)).toEqual(Object.keys(budgets.pages));
}, 240_000);
