import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OtherPlaces } from '../containers/other-places.ts';
import { standInCluster } from '../testing/stand-in-cluster.ts';
import { removeRests, type Job } from './jobs.ts';
import { LABELS } from './objects.ts';
import type { Pod } from './pod.ts';

// A stand-in for a cluster in which a data folder and a copy of it run jobs. Both have the same id.
const { api, jobs, listed, removed } = standInCluster();
const said: string[] = [];
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line));
  for (const list of [jobs, listed, removed, said]) list.length = 0;
});
afterEach(() => void vi.restoreAllMocks());

const jobOf = (name: string, place?: string): Job => ({
  metadata: { name, uid: name, labels: place === undefined ? {} : { [LABELS.place]: place } },
});
const look = (): Promise<string[]> => removeRests(api, { id: 'i', place: 'here' }, () => new Set(['used']));

test('a sweep removes the rests of its own place and of earlier versions, and nothing of another place', async () => {
  jobs.push(jobOf('used', 'here'), jobOf('rest', 'here'), jobOf('old'), jobOf('of-copy', 'there'));
  const left = await look();
  expect(removed).toEqual(['rest', 'old'].flatMap((name) => [`secrets/${name}`, `jobs/${name}`]));
  expect(left).toEqual([`kubectl -n n delete jobs -l ${LABELS.place}=there`]);
});

const podOf = (name: string, job: string, place = 'here', more: object = {}): Pod => ({
  metadata: {
    name,
    uid: name,
    labels: { [LABELS.place]: place, [LABELS.job]: job },
    ownerReferences: [{ name: job, uid: job }],
    ...more,
  },
});

test('a sweep removes pods whose job is gone, and no other', async () => {
  jobs.push(jobOf('there', 'here'), jobOf('used', 'here'));
  const [deletionTimestamp, ownerReferences] = ['2026-01-01T00:00:00Z', [{ name: 'used', uid: 'earlier' }]];
  listed.push(podOf('stray', 'gone'), podOf('kept', 'there'), podOf('of-copy', 'gone', 'elsewhere'));
  listed.push(
    podOf('leaving', 'gone', 'here', { deletionTimestamp }),
    podOf('in-use', 'used', 'here', { ownerReferences }),
  );
  await look();
  expect(removed.filter((one) => one.startsWith('pods/'))).toEqual(['pods/stray']);
  // Its job has been made since the list was read.
  vi.spyOn(api, 'find').mockResolvedValue({ metadata: { name: 'gone', uid: 'gone' } });
  removed.length = 0;
  await look();
  expect(removed.filter((one) => one.startsWith('pods/'))).toEqual([]);
});

test('the operator is told once what is left alone, with the remedy, and again when it is gone', async () => {
  const others = new OtherPlaces('jobs');
  jobs.push(jobOf('one', 'there'), jobOf('two', 'there'));
  others.note(await look());
  jobs.pop();
  others.note(await look());
  expect(others.words).toMatch(
    /jobs from another place of this data folder \(1\).* left alone.* copy .*installation\.key.* moved.*kubectl -n n delete jobs -l kethub\.io\/place=there$/,
  );
  expect(others.words?.length).toBeLessThan(500);
  expect(said).toHaveLength(1);
  jobs.pop();
  others.note(await look());
  expect(others.words).toBeNull();
  expect(said.slice(1)).toEqual(['there are no jobs from another place any more']);
});
