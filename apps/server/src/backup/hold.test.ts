import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withBlobsHeld } from './hold.ts';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a hold is renewed during work of hours, survives a renewal that fails, and is never ended', async () => {
  const held: number[] = [];
  const holdBlobs = vi.fn(async (until: number) => void held.push(until));
  const work = async () => {
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    holdBlobs.mockRejectedValueOnce(new Error('the database restarts'));
    await vi.advanceTimersByTimeAsync(60 * MINUTE);
    return 'copied';
  };
  expect(await withBlobsHeld({ holdBlobs }, work)).toBe('copied');
  expect(held.length).toBe(120);
  expect(held.at(-1)).toBeGreaterThan(Date.now());
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  // The time passes, and no timer runs.
  ['work that blocks the thread', async () => void vi.setSystemTime(Date.now() + 11 * MINUTE)],
  [
    'work that blocks the thread, before a renewal',
    async () => {
      vi.setSystemTime(Date.now() + 11 * MINUTE);
      await vi.advanceTimersByTimeAsync(2 * MINUTE);
    },
  ],
])('%s beyond the hold is refused in a sentence', async (_, work) => {
  await expect(withBlobsHeld({ holdBlobs: async () => {} }, work)).rejects.toThrow('Files may be missing');
});

test('a database that cannot be reached beyond the hold is refused in a sentence', async () => {
  const holdBlobs = vi.fn(async () => {}).mockResolvedValueOnce(undefined);
  holdBlobs.mockImplementation(async () => Promise.reject(new Error('the database is gone')));
  const work = async () => void (await vi.advanceTimersByTimeAsync(11 * MINUTE));
  await expect(withBlobsHeld({ holdBlobs }, work)).rejects.toThrow('Files may be missing');
});
