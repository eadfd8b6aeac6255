import { parse, type ProcessGraph } from '@kethub/workflow';
import { sql, type Selectable } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccepting, prepareExecution, type Accepting, type PreparedExecution } from '../executions/index.ts';
import type { Tables, WorkflowJobRow } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { bpmn } from '../../testing/workflows.ts';
import { advance, Advancing, type JobExecutor } from './advance/index.ts';
import { LeakyBucket } from './leaky-bucket.ts';
import type { Graphs } from './graphs.ts';
import { FirstSteps } from './first-step.ts';
import type { WorkflowPort } from './index.ts';
import { workflowsWithoutVersions } from '../../testing/workflow-instances.ts';
import { originOfOwner } from './start-by-event.ts';

/** A job executor with a number of slots. */
class Takes implements JobExecutor {
  slots = 1;
  begun: string[] = [];

  reserve(): number | null {
    if (this.slots === 0) return null;
    this.slots -= 1;
    return Date.now() + 10_000;
  }

  release(): void {
    this.slots += 1;
  }

  begin(jobs: readonly WorkflowJobRow[]): void {
    this.begun.push(...jobs.map(({ id }) => id));
  }
}

async function graphOf(...elements: string[]): Promise<ProcessGraph> {
  const { chain, end, file, start, service } = bpmn;
  const tasks = elements.map((id) => service(id, { in: { n: '=n' } }));
  const parsed = await parse(file([start('start'), ...tasks, end('end'), chain('start', ...elements, 'end')]));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.graph;
}

const tables = ['workflow_jobs', 'workflow_events', 'workflow_instances', 'workflow_journal'] as const;
const VERSION = '01890000-0000-7000-8000-00000000000b';

describe.each(databases())('first steps of instances on $name', ({ open }) => {
  let platform: TestPlatform;
  let port: WorkflowPort;
  let accepting: Accepting;
  let graph: ProcessGraph;
  const graphs: Graphs = { load: () => Promise.resolve(graph) };
  let budget: LeakyBucket;
  const executor = new Takes();
  const woken: string[] = [];

  beforeAll(async () => {
    platform = await createTestPlatform(open);
  });

  afterAll(() => platform.close());

  beforeEach(async () => {
    await platform.database.write((transaction) => transaction.deleteFrom('executions').execute());
    graph = await graphOf('task');
    executor.slots = 1;
    executor.begun = [];
    woken.length = 0;
    budget = new LeakyBucket(1, 1);
    const wakes = { jobs: () => void woken.push('jobs'), timers: () => void woken.push('timers') };
    port = workflowsWithoutVersions(platform);
    port.firstSteps = new FirstSteps(platform, graphs, budget, new Advancing(executor), wakes);
    accepting = createAccepting(platform, port);
  });

  test('an instance is accepted with its first job, which this process begins after the commit', async () => {
    const prepared = await prepare({ n: 1 });
    await accepting.add(prepared);
    const [job] = await rows('workflow_jobs');
    expect(job).toMatchObject({ instance_id: prepared.row.id, owner: 'USER ada', state: 'OPEN', input: '{"n":1}' });
    expect(job?.locked_until).toBeGreaterThan(platform.now());
    expect(executor).toMatchObject({ slots: 0, begun: [] });
    prepared.firstStep?.begin();
    expect(executor.begun).toEqual([job?.id]);
    expect(await rows('workflow_events')).toEqual([]);
    expect(await rows('workflow_instances')).toMatchObject([{ phase: 'RUNNING', revision: 1 }]);
    expect(await rows('workflow_journal')).toHaveLength(1);
  });

  test('its state becomes that of an instance that begins later', async () => {
    const [now, later] = [await prepare({ n: 1 }), await prepare({ n: 1 }, null)];
    await Promise.all([accepting.add(now), accepting.add(later)]);
    expect(await rows('workflow_events')).toMatchObject([{ instance_id: later.row.id }]);
    await advance(platform, graphs);
    const [one, other] = await rows('workflow_instances');
    const comparable = (row: { state: string | null } | undefined) =>
      (row?.state ?? '').replaceAll(now.row.id, 'id').replaceAll(later.row.id, 'id');
    expect(comparable(one)).toContain('"task"');
    expect(comparable(one)).toBe(comparable(other));
    expect([one?.phase, one?.revision, one?.bytes]).toEqual([other?.phase, other?.revision, other?.bytes]);
  });

  test('a job without a slot is left to the search for jobs', async () => {
    executor.slots = 0;
    const prepared = await prepare({ n: 1 });
    await accepting.add(prepared);
    prepared.firstStep?.begin();
    expect(await rows('workflow_jobs')).toMatchObject([{ state: 'OPEN', locked_until: 0 }]);
    expect([executor.begun, woken]).toEqual([[], ['jobs']]);
  });

  test('what is not accepted gives its slot back', async () => {
    const prepared = await prepare({ n: 1 });
    expect(executor.slots).toBe(0);
    prepared.firstStep?.release();
    prepared.firstStep?.begin();
    expect(executor).toMatchObject({ slots: 1, begun: [] });
  });

  test('of an owner who has used up its share it waits for its turn', async () => {
    budget.spend('USER ada', 1_000);
    const prepared = await prepare({ n: 1 });
    expect(prepared.firstStep).toBeNull();
    await accepting.add(prepared);
    expect(await rows('workflow_events')).toHaveLength(1);
    expect(await rows('workflow_jobs')).toEqual([]);
  });

  test('what is large, or ends with its first step, waits for its turn', async () => {
    expect((await prepare({ n: 1, text: 'x'.repeat(100_000) })).firstStep).toBeNull();
    graph = await graphOf();
    expect((await prepare({ n: 1 })).firstStep).toBeNull();
    expect(executor.slots).toBe(1);
  });

  async function prepare(input: object, firstSteps = port.firstSteps): Promise<PreparedExecution> {
    const origin = originOfOwner(platform, { type: 'USER', id: 'ada' }, 'ada', VERSION, VERSION);
    const prepared = await prepareExecution(platform, port, origin, platform.newId(), JSON.stringify(input));
    prepared.firstStep = (await firstSteps?.of(prepared)) ?? null;
    return prepared;
  }

  function rows<T extends (typeof tables)[number]>(table: T): Promise<Selectable<Tables[T]>[]> {
    const { read } = platform.database;
    return sql<Selectable<Tables[T]>>`select * from ${sql.table(table)} order by 1`
      .execute(read)
      .then(({ rows }) => rows);
  }
});
