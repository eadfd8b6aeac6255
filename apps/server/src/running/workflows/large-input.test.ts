import { parse, type ProcessGraph } from '@kethub/workflow';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { acceptedInstance } from '../../testing/workflow-instances.ts';
import { bpmn } from '../../testing/workflows.ts';
import { eventRow, insertEvents } from './advance/events.ts';
import { advance, Advancing } from './advance/index.ts';
import type { Graphs } from './graphs.ts';
import { serviceResult } from './calls/service-result.ts';
import { readJournalAfter } from './journal.ts';
import { readState } from './state.ts';

/** Bytes that may be parsed or written as JSON in one go. */
const AT_ONCE = 256 * 1024;
const rows = Array.from({ length: 60_000 }, (_value, number) => ({ number, text: `Köln ${number}` }));
const input = { data: { rows }, small: [1, 2] };

async function waits(): Promise<ProcessGraph> {
  const { catchEvent, chain, end, file, start, timer } = bpmn;
  const parts = [start('s'), catchEvent('t', timer('duration', 'PT1H')), chain('s', 't', 'e')];
  const parsed = await parse(file([...parts, end('e', { count: '=count(data.rows)', all: '={rows: data.rows}' })]));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.graph;
}

describe.each(databases())('an input of megabytes on $name', ({ open }) => {
  let platform: TestPlatform;
  let graph: ProcessGraph;
  const graphs: Graphs = { load: () => Promise.resolve(graph) };

  beforeAll(async () => {
    platform = await createTestPlatform(open);
    graph = await waits();
  });

  afterAll(() => platform.close());
  afterEach(() => vi.restoreAllMocks());

  test('is never parsed or written as JSON in one go, from the request to the result', async () => {
    const text = Buffer.from(JSON.stringify(input));
    const longest = watched();
    const id = await acceptedInstance(platform, 'owner', text);
    const advancing = new Advancing();
    await all(advancing);
    const [timer] = (await readState(platform.database.read, id))?.timers.keys() ?? [];
    if (timer === undefined) throw new Error('The instance does not wait');
    await readJournalAfter(platform.database.read, id, 0, 100);
    // Another process goes on with it.
    const event = eventRow(platform, id, { type: 'timerDue', timer });
    await platform.database.write((transaction) => insertEvents(transaction, [event]));
    await all(new Advancing());
    expect(longest()).toBeLessThan(AT_ONCE);
    vi.restoreAllMocks();
    const { result_blob, result } = await platform.database.read
      .selectFrom('executions')
      .select(['result', 'result_blob'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const read = watched();
    const value = await serviceResult(platform.blobs, { result, result_blob });
    expect(read()).toBeLessThan(AT_ONCE);
    vi.restoreAllMocks();
    expect(value).toEqual({ value: { count: rows.length, all: { rows } } });
  });

  async function all(advancing: Advancing): Promise<void> {
    while ((await advance(platform, graphs, advancing)).more);
  }
});

/** Watches the length of the longest text that is parsed or written as JSON at once. */
function watched(): () => number {
  const parses = vi.spyOn(JSON, 'parse');
  const writes = vi.spyOn(JSON, 'stringify');
  return () =>
    Math.max(
      0,
      ...parses.mock.calls.map(([text]) => text.length),
      ...writes.mock.results.map(({ value }) => (typeof value === 'string' ? value.length : 0)),
    );
}
