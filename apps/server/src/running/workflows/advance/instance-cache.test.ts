import { expect, test } from 'vitest';
import type { WorkflowInstanceRow } from '../../../foundation/storage/index.ts';
import { InstanceCache } from './instance-cache.ts';

const row = (id: string, bytes: number): WorkflowInstanceRow => ({
  id,
  execution_id: id,
  owner: 'USER ada',
  parent_id: null,
  parent_child: null,
  service_version_id: 'version',
  process_id: null,
  depth: 0,
  phase: 'RUNNING',
  revision: 1,
  incidents: 0,
  child_incidents: 0,
  state: null,
  bytes,
  sealed_secrets: null,
  created_at: 1,
  ended_at: null,
});
const event = { type: 'jobSucceeded', job: 1, result: {} } as const;
const ended = (id: string) => ({
  job: { id: `job of ${id}`, instance_id: id, owner: 'USER ada', state: 'OPEN', lease: 0 } as const,
  event,
});

test('what was written longest ago is evicted first, and what is long is not cached at all', () => {
  const cache = new InstanceCache();
  cache.remember(row('long', 65 * 1024));
  cache.remember({ ...row('secret', 10), sealed_secrets: 'x'.repeat(65 * 1024) });
  expect([cache.get('long'), cache.get('secret')]).toEqual([undefined, undefined]);
  for (let number = 0; number < 1_000; number += 1) cache.remember(row(`instance ${number}`, 31 * 1024));
  const kept = Array.from({ length: 1_000 }, (_value, number) => cache.get(`instance ${number}`)).filter(Boolean);
  expect(kept).toHaveLength(512);
  expect(cache.get('instance 999')).toBeDefined();
  // Written once more, it is the last to go.
  cache.remember(row('instance 488', 31 * 1024));
  for (let number = 0; number < 511; number += 1) cache.remember(row(`another ${number}`, 31 * 1024));
  expect([cache.get('instance 488'), cache.get('instance 999')].map(Boolean)).toEqual([true, false]);
});

test('secrets count like states, and so does what a row takes by itself', () => {
  const kept = (sealed_secrets: string | null): number => {
    const cache = new InstanceCache();
    const ids = Array.from({ length: 20_000 }, (_value, number) => `instance ${number}`);
    for (const id of ids) cache.remember({ ...row(id, 0), sealed_secrets });
    return ids.filter((id) => cache.get(id)).length;
  };
  expect(kept(null)).toBe(16 * 1024);
  expect(kept('x'.repeat(15 * 1024))).toBe(1024);
});

test('ends of jobs are taken as soon as all of their instances are cached', () => {
  const cache = new InstanceCache();
  cache.remember(row('one', 10));
  expect(cache.recall([])).toBeNull();
  expect(cache.recall([ended('one'), ended('two')])).toBeNull();
  cache.remember(row('two', 10));
  const loaded = cache.recall([ended('one'), ended('two'), ended('one')]);
  expect(loaded?.work.map((work) => [work.row.id, work.ended.length])).toEqual([
    ['one', 2],
    ['two', 1],
  ]);
});
