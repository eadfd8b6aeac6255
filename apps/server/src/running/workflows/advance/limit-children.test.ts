import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database, WorkflowInstanceRow } from '../../../foundation/storage/index.ts';
import { databases, type TestDatabase } from '../../../testing/databases.ts';
import { collectEffects } from './effects.ts';
import { limitChildren } from './limit-children.ts';

describe.each(databases())('what call activities start, on $name', (kind) => {
  let database: Database;
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    database = opened.database;
  });
  afterAll(() => opened.close());

  test('beyond the limit of an execution each gets an answer, and no instance', async () => {
    let ids = 0;
    const platform = { newId: () => `id-${++ids}`, now: () => 0 };
    const parent = { id: 'parent', execution_id: 'one', depth: 0, service_version_id: 'v' } as WorkflowInstanceRow;
    const starts = [1, 2, 3].map((child) => ({
      type: 'startChild' as const,
      child,
      elementId: 'call',
      processId: 'p',
      variables: {},
      secrets: [],
      caughtOutside: [],
    }));
    const advanced = { row: parent, events: [], next: { effects: starts } };
    const effects = collectEffects(platform as never, [advanced as never]);
    await limitChildren(platform, database.read, effects, 2);
    expect(effects.children.map(({ parent_child }) => parent_child)).toEqual([1, 2]);
    const events = effects.events.map(({ instance_id, event }) => [instance_id, JSON.parse(event) as object]);
    expect(events).toEqual([
      [effects.children[0]?.id, expect.objectContaining({ type: 'start' })],
      [effects.children[1]?.id, expect.objectContaining({ type: 'start' })],
      [
        'parent',
        { type: 'childEnded', child: 3, outcome: { type: 'notStarted', message: expect.any(String) as string } },
      ],
    ]);
  });
});
