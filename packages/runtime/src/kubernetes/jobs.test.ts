import { expect, test } from 'vitest';
import { LIMITS } from '../testing/bench.ts';
import { ClusterAway, ClusterRefusal, type ClusterApi } from './api.ts';
import { createJob, removeJob, type Job } from './jobs.ts';
import { ATTEMPT, type Order } from './objects.ts';
import type { ClusterProgram } from './programs.ts';

const order = { job: 'j', installation: 'i', attempt: 'mine', executionId: 'e', hosts: [], limits: LIMITS, ours: { addresses: [], port: 1 } } as unknown as Order; // prettier-ignore
const program = { handover: '', pod: () => ({}) } as unknown as ClusterProgram;
const jobOf = (attempt: string, more: object = {}): Job => ({
  metadata: { name: 'j', uid: 'u', annotations: { [ATTEMPT]: attempt }, ...more },
});

/** A stand-in for an API server with these jobs, of which `before` is there already. Returns what it was asked. */
async function create(before: Job | null, lost?: string): Promise<string[]> {
  const asked: string[] = [];
  const api = {
    ask(method: string, path: string) {
      asked.push(`${method} ${path}`);
      if (`${method} ${path}` === lost) return Promise.reject(new ClusterAway('no answer'));
      if (method === 'POST' && before !== null)
        return Promise.reject(new ClusterRefusal(409, 'AlreadyExists', `${path} is there`));
      return Promise.resolve(jobOf('mine'));
    },
    find: () => Promise.resolve(before),
    remove: (path: string) => Promise.resolve(void asked.push(`DELETE ${path}`)),
  } as unknown as ClusterApi;
  await createJob(api, order, program, 'token').catch((error: unknown) => asked.push((error as Error).message));
  return asked;
}

const MAKES = ['POST jobs', 'POST secrets', 'POST networkpolicies'];

test('a pod begins when its secret and its policy are there, and only then', async () => {
  expect(await create(null)).toEqual([...MAKES, 'PATCH jobs/j']);
  expect(await create(null, 'POST networkpolicies')).toEqual([...MAKES, 'no answer']);
});

test('an attempt whose answer was lost is continued, and makes no second job', async () => {
  expect(await create(jobOf('mine'))).toEqual([...MAKES, 'PATCH jobs/j']);
});

test.each([
  ['of another attempt', jobOf('other')],
  ['that is being removed', jobOf('mine', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
])('a job %s is never taken for ours: it is removed first', async (_which, before) => {
  expect(await create(before)).toEqual([
    'POST jobs',
    'DELETE jobs/j',
    'DELETE secrets/j',
    'DELETE networkpolicies/j',
    expect.stringMatching(/^An earlier attempt of this execution is still being removed/),
  ]);
});

test('a secret that an earlier attempt has left behind is replaced, as the cluster removes it', async () => {
  const asked: string[] = [];
  const api = {
    ask(method: string, path: string) {
      asked.push(`${method} ${path}`);
      const isLeft = path === 'secrets' && asked.filter((one) => one === 'POST secrets').length === 1;
      if (isLeft) return Promise.reject(new ClusterRefusal(409, 'AlreadyExists', 'it is there'));
      return Promise.resolve(jobOf('mine'));
    },
    remove: (path: string) => Promise.resolve(void asked.push(`DELETE ${path}`)),
  } as unknown as ClusterApi;
  await createJob(api, order, program, 'token');
  expect(asked).toEqual([...MAKES, 'DELETE secrets/j', 'POST secrets', 'PATCH jobs/j']);
});

test.each([
  ['ours', jobOf('mine'), ['secrets/j', 'jobs/j u']],
  ['of an older version', { metadata: { name: 'j', uid: 'u' } }, ['secrets/j', 'jobs/j u']],
  ['of a later attempt', jobOf('later'), []],
  ['gone', null, []],
])('a job that is %s is removed as it should be', async (_which, job, expected) => {
  const removed: string[] = [];
  const api = {
    find: () => Promise.resolve(job),
    remove: (path: string, { preconditions }: { preconditions?: { uid: string } } = {}) =>
      Promise.resolve(void removed.push([path, preconditions?.uid].filter(Boolean).join(' '))),
  } as unknown as ClusterApi;
  await removeJob(api, 'j', 'mine');
  expect(removed).toEqual(expected);
});
