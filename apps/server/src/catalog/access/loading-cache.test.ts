import { expect, test } from 'vitest';
import { LoadingCache } from './loading-cache.ts';

test('concurrent callers share a load, and a value is loaded once until it is deleted', async () => {
  let loads = 0;
  const cache = new LoadingCache((key) => Promise.resolve(`${key} ${(loads += 1)}`), 2);
  expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['a 1', 'a 1']);
  expect(await cache.get('a')).toBe('a 1');
  cache.delete('a');
  expect(await cache.get('a')).toBe('a 2');
  cache.clear();
  expect(await cache.get('a')).toBe('a 3');
});

test('a value that is deleted while it is loaded is loaded anew for the next caller', async () => {
  const loads: PromiseWithResolvers<string>[] = [];
  const cache = new LoadingCache(() => {
    const load = Promise.withResolvers<string>();
    loads.push(load);
    return load.promise;
  }, 2);
  const before = cache.get('a');
  cache.delete('a');
  const after = cache.get('a');
  loads[1]?.resolve('new');
  loads[0]?.resolve('old');
  expect([await before, await after, await cache.get('a')]).toEqual(['old', 'new', 'new']);
  expect(loads).toHaveLength(2);
});

test('a load that fails is tried again', async () => {
  let fails = true;
  const cache = new LoadingCache(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve('here')), 2);
  await expect(cache.get('a')).rejects.toThrow('away');
  fails = false;
  expect(await cache.get('a')).toBe('here');
});

test('a full cache evicts the least recently used value', async () => {
  const loaded: string[] = [];
  const cache = new LoadingCache((key) => Promise.resolve(loaded.push(key)), 2);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(key);
  expect(loaded).toEqual(['a', 'b', 'c', 'b']);
});
