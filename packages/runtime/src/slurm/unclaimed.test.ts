import { expect, test } from 'vitest';
import type { QueuedJob, Slurm } from './slurm.ts';
import { UnclaimedSearch } from './unclaimed.ts';

test('a job is cancelled that waits, or has run for two looks, while its execution has ended', async () => {
  const queue = new Map<string, QueuedJob>();
  const job = (name: string, id: string, state: string) => queue.set(`kethub-${name}`, { id, state, reason: 'None' });
  const cancelled: string[] = [];
  const slurm = {
    queue: () => Promise.resolve(new Map(queue)),
    cancel(id: string) {
      cancelled.push(id);
      return Promise.resolve();
    },
  } as Partial<Slurm> as Slurm;
  const of = (names: readonly string[]) => Promise.resolve(names.filter((name) => !name.includes('open')));
  const search = new UnclaimedSearch(slurm, { prefix: 'kethub-', of }, () => undefined);
  const look = () => search.look((name) => name.includes('followed'));
  job('waits', '1', 'PENDING');
  job('ghost', '2', 'RUNNING');
  job('ends', '3', 'RUNNING');
  job('followed', '4', 'RUNNING');
  job('open', '5', 'RUNNING');
  job('open-too', '6', 'PENDING');
  job('leaves', '7', 'COMPLETING');
  await look();
  expect(cancelled).toEqual(['1']);
  queue.delete('kethub-waits');
  job('ends', '3', 'COMPLETED');
  job('later', '8', 'RUNNING');
  await look();
  expect(cancelled).toEqual(['1', '2']);
  // A restarted worker begins to count.
  await new UnclaimedSearch(slurm, { prefix: 'kethub-', of }, () => undefined).look((name) =>
    name.includes('followed'),
  );
  expect(cancelled).toEqual(['1', '2']);
});
