import { expect, test } from 'vitest';
import { Batcher } from './batcher.ts';

test('items that come while a batch is under way share the next, and each gets its own result', async () => {
  const batches: (readonly number[])[] = [];
  const batcher = new Batcher(async (items: readonly number[]) => {
    batches.push(items);
    await new Promise((resolve) => setImmediate(resolve));
    return items.map((item) => item * 2);
  });
  const first = batcher.add(1);
  const second = batcher.add(2);
  await new Promise((resolve) => setImmediate(resolve));
  const others = [3, 4, 5].map((item) => batcher.add(item));
  expect(await Promise.all([first, second, ...others])).toEqual([2, 4, 6, 8, 10]);
  expect(batches).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
});

test('an item that cannot be done does not make the others of its batch fail', async () => {
  const done: number[] = [];
  const batcher = new Batcher(async (items: readonly number[]) => {
    if (items.includes(2)) throw new Error('not 2');
    done.push(...items);
    return Promise.resolve(items);
  });
  const all = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(done).toEqual([1, 3]);
  expect(await batcher.add(4)).toBe(4);
});

test('when the database is away nothing is tried again: it may have been done', async () => {
  let tried = 0;
  const batcher = new Batcher<number, number>(async () => {
    tried += 1;
    throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
  });
  const all = await Promise.allSettled([1, 2].map((item) => batcher.add(item)));
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(tried).toBe(1);
});

test('one item of an owner is in the next batch, however many of another wait', async () => {
  const batches: string[][] = [];
  const batcher = new Batcher<string, void>(
    (items) => {
      batches.push([...items]);
      return Promise.resolve(items.map(() => undefined));
    },
    (item) => item.split(' ')[0] ?? '',
  );
  const noisy = Array.from({ length: 300 }, (_value, number) => batcher.add(`noisy ${number}`));
  await Promise.all([...noisy, batcher.add('quiet')]);
  expect(batches.map(({ length }) => length)).toEqual([128, 128, 45]);
  expect(batches[0]).toContain('quiet');
  expect(batches.flat().filter((item) => item !== 'quiet')).toEqual(noisy.map((_one, number) => `noisy ${number}`));
});

test('an owner who is in no batch that is under way does not wait for its end', async () => {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const batcher = new Batcher(
    async (items: readonly string[]) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return items;
    },
    (item) => item.slice(0, 1),
  );
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const all = ['a1'].map((item) => batcher.add(item));
  await turn();
  all.push(...['a2', 'b1', 'b2', 'c1', 'd1', 'e1', 'e2'].map((item) => batcher.add(item)));
  await turn();
  // One batch for each owner, at most four in total.
  expect(batches).toEqual([['a1'], ['b1'], ['c1'], ['d1']]);
  for (const end of ends.splice(0)) end();
  await turn();
  expect(batches.slice(4)).toEqual([['a2', 'b2', 'e1', 'e2']]);
  for (const end of ends) end();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1', 'e1', 'e2']);
});
