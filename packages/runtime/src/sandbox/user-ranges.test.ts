import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeUserRange } from './user-ranges.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kethub-users-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function dataFolder(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

test('data folders of one machine have users of their own, and keep them', () => {
  const locks = join(folder, 'locks');
  const folders = Array.from({ length: 40 }, (_, index) => dataFolder(`data-${index}`));
  const ranges = folders.map((one) => takeUserRange(one, locks));
  const sorted = ranges.map(({ first, count }) => [first, first + count]).sort(([a = 0], [b = 0]) => a - b);
  for (const [index, [first = 0]] of sorted.entries())
    expect(first).toBeGreaterThanOrEqual(sorted[index - 1]?.[1] ?? 0);
  const [one, other] = [ranges[7]?.first, ranges[8]?.first];
  for (const range of ranges.slice(7, 9)) range.release();
  expect(takeUserRange(folders[8] ?? '', locks).first).toBe(other);
  const late = takeUserRange(dataFolder('late'), locks);
  expect(takeUserRange(folders[7] ?? '', locks).first).toBe(one);
  expect([one, other]).not.toContain(late.first);
});
