import { parse, type ProcessGraph } from '@kethub/workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { bpmn } from '../../testing/workflows.ts';
import { advance, Advancing } from './advance/index.ts';
import { eventRow, insertEvents } from './advance/events.ts';
import type { Graphs } from './graphs.ts';
import { acceptedInstance } from '../../testing/workflow-instances.ts';
import { readState } from './state.ts';

const ROUNDS = 10_000;

/** Rounds of a sub-process with a timer each. */
async function loop(): Promise<ProcessGraph> {
  const { catchEvent, chain, end, file, start, subProcess, timer } = bpmn;
  const inner = [start('is'), catchEvent('t', timer('duration', 'PT1H')), end('ie'), chain('is', 't', 'ie')];
  const each = { over: '=for i in 1..n return i', as: 'i', into: 'list', collect: '=i + 0' };
  const parts = [start('s'), subProcess('sub', inner, { loop: each }), end('e', { sum: '=sum(list)' })];
  const parsed = await parse(file([...parts, chain('s', 'sub', 'e')]));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.graph;
}

describe.each(databases())('a large instance on $name', ({ open }) => {
  let platform: TestPlatform;
  let graph: ProcessGraph;
  const graphs: Graphs = { load: () => Promise.resolve(graph) };

  beforeAll(async () => {
    platform = await createTestPlatform(open);
    graph = await loop();
  });

  afterAll(() => platform.close());

  beforeEach(() => platform.database.write((transaction) => transaction.deleteFrom('executions').execute()));

  test('fans out, goes on after any crash, and ends, beside a small one that does not wait for it', async () => {
    const large = await acceptedInstance(platform, 'large', { n: ROUNDS });
    let advancing = new Advancing();
    expect((await advance(platform, graphs, advancing)).more).toBe(true);
    expect((await stateOf(large)).work).not.toBeNull();
    // Another process goes on from the database.
    advancing = new Advancing();
    const small = await acceptedInstance(platform, 'small', { n: 1 });
    await advance(platform, graphs, advancing);
    expect((await stateOf(small)).timers.size).toBe(1);
    expect((await stateOf(large)).work).not.toBeNull();
    await all(advancing);
    const open = await stateOf(large);
    expect([open.work, open.timers.size, await count('workflow_timers')]).toEqual([null, ROUNDS, ROUNDS + 1]);
    await due(large, [...open.timers.keys()]);
    let before = open.timers.size;
    for (let batches = 0; before > 0; batches += 1) {
      if (batches % 7 === 3) advancing = new Advancing();
      await advance(platform, graphs, advancing);
      const { size } = (await stateOf(large)).timers;
      expect(before - size).toBeLessThanOrEqual(512);
      before = size;
    }
    await all(advancing);
    expect((await stateOf(large)).outputs).toEqual({ sum: (ROUNDS * (ROUNDS + 1)) / 2 });
    expect(await count('workflow_state_parts')).toBe(0);
  });

  test('is cancelled, a little at a time, before all that waits for it, also while it fans out', async () => {
    for (const isOpen of [true, false]) {
      const id = await acceptedInstance(platform, 'large', { n: ROUNDS });
      const advancing = new Advancing();
      await advance(platform, graphs, advancing);
      if (isOpen) await all(advancing);
      await due(id, [...(await stateOf(id)).timers.keys()]);
      await platform.database.write((transaction) =>
        insertEvents(transaction, [eventRow(platform, id, { type: 'cancel' })]),
      );
      const { seq } = await stateOf(id);
      await advance(platform, graphs, advancing);
      const state = await stateOf(id);
      const entries = await platform.database.read
        .selectFrom('workflow_journal')
        .select('entry')
        .where('instance_id', '=', id)
        .where('seq', '=', seq + 1)
        .executeTakeFirstOrThrow();
      expect(entries.entry.slice(0, 100)).toContain('"cancel"');
      expect(state.phase === 'CANCELLED' || state.work !== null).toBe(true);
      await all(advancing);
      expect((await stateOf(id)).phase).toBe('CANCELLED');
      expect([await count('workflow_events'), await count('workflow_timers')]).toEqual([0, 0]);
    }
  });

  test('costs an event what it writes, however much is open', async () => {
    const bytes = async (rounds: number) => {
      const id = await acceptedInstance(platform, `${rounds}`, { n: rounds });
      const advancing = new Advancing();
      await all(advancing);
      const { timers } = await stateOf(id);
      const before = await partsOf(id);
      await due(id, [...timers.keys()].slice(10, 11));
      await advance(platform, graphs, advancing);
      const after = await partsOf(id);
      return [...after].filter(([part, text]) => before.get(part) !== text).length;
    };
    expect(await bytes(ROUNDS)).toBe(await bytes(300));
  });

  async function all(advancing: Advancing): Promise<void> {
    while ((await advance(platform, graphs, advancing)).more);
  }

  async function stateOf(id: string) {
    const state = await readState(platform.database.read, id);
    if (!state) throw new Error(`${id} has not begun`);
    return state;
  }

  async function partsOf(id: string): Promise<Map<string, string>> {
    const query = platform.database.read.selectFrom('workflow_state_parts').select(['part', 'text']);
    const rows = await query.where('instance_id', '=', id).execute();
    return new Map(rows.map(({ part, text }) => [part, text]));
  }

  async function count(table: 'workflow_timers' | 'workflow_events' | 'workflow_state_parts'): Promise<number> {
    const query = platform.database.read.selectFrom(table).select(({ fn }) => fn.countAll<number | string>().as('n'));
    return Number((await query.executeTakeFirstOrThrow()).n);
  }

  async function due(id: string, timers: readonly number[]): Promise<void> {
    const events = timers.map((timer) => eventRow(platform, id, { type: 'timerDue', timer }));
    await platform.database.write(async (transaction) => {
      await transaction.deleteFrom('workflow_timers').where('instance_id', '=', id).execute();
      await insertEvents(transaction, events);
    });
  }
});
