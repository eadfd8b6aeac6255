import { expect, test } from 'vitest';
import { LoadingCache } from './loading-cache.ts';

function setUp(most = 100) {
  const world = { now: 0, asked: 0 };
  const recent = new LoadingCache<number>({ ageMs: 10_000, most, now: () => world.now });
  const ask = (key: string): Promise<number> => recent.get(key, () => Promise.resolve(++world.asked));
  return { world, recent, ask };
}

test('an answer is as old as its question, and given for less than 10 s', async () => {
  const { world, ask } = setUp();
  expect(await ask('ada')).toBe(1);
  world.now = 9_999;
  expect(await ask('ada')).toBe(1);
  world.now = 10_000;
  expect(await ask('ada')).toBe(2);
});

test('who asks while the answer is on its way waits for the same', async () => {
  const { world, ask } = setUp();
  expect(await Promise.all([ask('ada'), ask('ada'), ask('grace')])).toEqual([1, 1, 2]);
  expect(world.asked).toBe(2);
});

test('a failure is given to those who asked, and not kept', async () => {
  const { recent, ask } = setUp();
  await expect(recent.get('ada', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await ask('ada')).toBe(1);
});

test('what is forgotten is asked for again', async () => {
  const { recent, ask } = setUp();
  await ask('ada');
  recent.forget('ada');
  expect(await ask('ada')).toBe(2);
});

test('no more than the most are kept: the oldest goes', async () => {
  const { ask } = setUp(2);
  for (const key of ['a', 'b', 'c']) await ask(key);
  expect(await ask('c')).toBe(3);
  expect(await ask('b')).toBe(2);
  expect(await ask('a')).toBe(4);
});
