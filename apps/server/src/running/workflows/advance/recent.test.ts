import { expect, test } from 'vitest';
import type { WorkflowInstanceRow } from '../../../foundation/storage/index.ts';
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

test('what was written longest ago is forgotten first, and what is long is not remembered at all', () => {
  const recent = new RecentInstances();
  recent.remember(row('long', 65 * 1024));
  recent.remember({ ...row('secret', 10), sealed_secrets: 'x'.repeat(65 * 1024) });
  expect([recent.get('long'), recent.get('secret')]).toEqual([undefined, undefined]);
  for (let number = 0; number < 1_000; number += 1) recent.remember(row(`instance ${number}`, 31 * 1024));
  const kept = Array.from({ length: 1_000 }, (_value, number) => recent.get(`instance ${number}`)).filter(Boolean);
  expect(kept).toHaveLength(512);
  expect(recent.get('instance 999')).toBeDefined();
  // Written once more, it is the last to go.
  recent.remember(row('instance 488', 31 * 1024));
  for (let number = 0; number < 511; number += 1) recent.remember(row(`another ${number}`, 31 * 1024));
  expect([recent.get('instance 488'), recent.get('instance 999')].map(Boolean)).toEqual([true, false]);
});

test('secrets count like states, and so does what a row takes by itself', () => {
  const kept = (sealed_secrets: string | null): number => {
    const recent = new RecentInstances();
    const ids = Array.from({ length: 20_000 }, (_value, number) => `instance ${number}`);
    for (const id of ids) recent.remember({ ...row(id, 0), sealed_secrets });
    return ids.filter((id) => recent.get(id)).length;
  };
  expect(kept(null)).toBe(16 * 1024);
  expect(kept('x'.repeat(15 * 1024))).toBe(1024);
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
