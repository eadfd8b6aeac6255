import { expect, test } from 'vitest';
import { inSlices } from './slices.ts';

const spin = (isOver: () => boolean): void => {
  while (!isOver());
};

test('an owner who takes a lot leaves the rest for another batch, and nobody else does', async () => {
  const work = [...Array.from({ length: 20 }, () => 'noisy'), 'quiet', 'third'].map((owner) => ({ row: { owner } }));
  const done = await inSlices(
    work,
    ({ row: { owner } }, isOver) => {
      if (owner === 'noisy') spin(isOver);
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
  const work = Array.from({ length: 3 }, (_value, owner) => ({ row: { owner: `${owner}` } }));
  const counting = (async () => {
    for (; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  const seen = await inSlices(
    work,
    (_one, isOver) => {
      spin(isOver);
      return turns;
    },
    () => -1,
  );
  await counting;
  expect(seen[2]).toBeGreaterThan(seen[0] ?? 0);
});
