import { expect, test } from 'vitest';
import { inSlices } from './slices.ts';

const spin = (isOver: () => boolean): void => {
  while (!isOver());
};

/** Works until it has to stop, for two milliseconds of processor time at least: a busy machine gives little of it in a slice. */
const work = (isOver: () => boolean): void => {
  const before = process.threadCpuUsage();
  spin(() => isOver() && process.threadCpuUsage(before).user >= 2_000);
};

test('an owner who takes a lot leaves the rest for another batch, and nobody else does', async () => {
  const owners = [...Array.from({ length: 20 }, () => 'noisy'), 'quiet', 'third'].map((owner) => ({ row: { owner } }));
  const done = await inSlices(
    owners,
    ({ row: { owner } }, isOver) => {
      if (owner === 'noisy') work(isOver);
      return owner;
    },
    ({ row: { owner } }) => `${owner} waits`,
  );
  expect(done.filter((each) => each === 'noisy').length).toBeLessThan(20);
  expect(done[0]).toBe('noisy');
  expect(done.slice(-3)).toEqual(['noisy waits', 'quiet', 'third']);
});

test('others have the thread between two slices', async () => {
  let turns = 0;
  const owners = Array.from({ length: 3 }, (_value, owner) => ({ row: { owner: `${owner}` } }));
  const counting = (async () => {
    for (; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  const seen = await inSlices(
    owners,
    (_one, isOver) => {
      spin(isOver);
      return turns;
    },
    () => -1,
  );
  await counting;
  expect(seen[2]).toBeGreaterThan(seen[0] ?? 0);
});
