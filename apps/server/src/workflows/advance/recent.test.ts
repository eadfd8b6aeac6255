import { expect, test } from 'vitest';
import type { WorkflowInstanceRow } from '../../storage/index.ts';
import { RecentInstances } from './recent.ts';

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
  state: '{}',
  bytes,
  sealed_secrets: null,
  created_at: 1,
  ended_at: null,
});
const event = { type: 'jobSucceeded', job: 1, result: {} } as const;
const ended = (id: string) => ({
  job: { id: `job of ${id}`, instance_id: id, owner: 'USER ada', state: 'OPEN' } as const,
  event,
  alongside: null,
});

test('what was written longest ago is forgotten first, and what is long is not remembered at all', () => {
  const recent = new RecentInstances();
  recent.remember(row('long', 65 * 1024));
  expect(recent.get('long')).toBeUndefined();
  for (let number = 0; number < 1_000; number += 1) recent.remember(row(`instance ${number}`, 32 * 1024));
  const kept = Array.from({ length: 1_000 }, (_value, number) => recent.get(`instance ${number}`)).filter(Boolean);
  expect(kept).toHaveLength(512);
  expect(recent.get('instance 999')).toBeDefined();
  // Written once more, it is the last to go.
  recent.remember(row('instance 488', 32 * 1024));
  for (let number = 0; number < 511; number += 1) recent.remember(row(`another ${number}`, 32 * 1024));
  expect([recent.get('instance 488'), recent.get('instance 999')].map(Boolean)).toEqual([true, false]);
});

test('ends are work as soon as all of their instances are known', () => {
  const recent = new RecentInstances();
  recent.remember(row('one', 10));
  expect(recent.recall([])).toBeNull();
  expect(recent.recall([ended('one'), ended('two')])).toBeNull();
  recent.remember(row('two', 10));
  const loaded = recent.recall([ended('one'), ended('two'), ended('one')]);
  expect(loaded?.work.map((work) => [work.row.id, work.ended.length])).toEqual([
    ['one', 2],
    ['two', 1],
  ]);
});
