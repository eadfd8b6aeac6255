import { parse, platformFaultOf, rootOf, variablesAt } from '@kethub/workflow';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Queries, WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../../testing/platform.ts';
import { bpmn } from '../../../testing/workflows.ts';
import type { Graphs } from '../graphs.ts';
import { acceptedInstances } from '../../../testing/workflow-instances.ts';
import { readJournalAfter } from '../journal.ts';
import { readState } from '../state.ts';
import { markCalling } from '../calls/calls.ts';
import { claimJobs, markCalled, postpone, removeJob, renewLeases, undoClock } from '../calls/queries.ts';
import { eventRow, insertEvents } from './events.ts';
import { advance, Advancing, CompletionQueue, InstanceCache, Suspects, type Ended, type JobExecutor } from './index.ts';

const VERSION = '01890000-0000-7000-8000-00000000000b';

/** A job executor that only remembers the jobs that it may begin. */
class Remembering implements JobExecutor {
  jobs: readonly WorkflowJobRow[] = [];
  reserve = (): number => Date.now() + 10_000;
  release = (): void => undefined;
  begin(jobs: readonly WorkflowJobRow[]): void {
    this.jobs = [...this.jobs, ...jobs];
  }
}

describe.each(databases())('ends of jobs on $name', ({ open }) => {
  let platform: TestPlatform;
  let graphs: Graphs;

  beforeAll(async () => {
    platform = await createTestPlatform(open);
    const { chain, end, file, service, start } = bpmn;
    const tasks = ['one', 'two'].map((id) => service(id, { out: { [id]: '=answer' } }));
    const parsed = await parse(file([start('start'), ...tasks, end('end'), chain('start', 'one', 'two', 'end')]));
    if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
    graphs = { load: () => Promise.resolve(parsed.graph) };
  });

  afterAll(() => platform.close());

  beforeEach(() => platform.database.write((transaction) => transaction.deleteFrom('executions').execute()));

  test('are handed over once, also when two processes report them, and no event is written', async () => {
    const { jobs } = await begin(1);
    const [one] = jobs.map(ended);
    if (!one) throw new Error('No job');
    const boxes = [new CompletionQueue(), new CompletionQueue()] as const;
    const added = boxes.map((box) => box.add(one));
    expect(await states()).toEqual(['OPEN']);
    const [first, second] = [new Remembering(), new Remembering()];
    await step(boxes[0], first);
    await step(boxes[1], second);
    await Promise.all(added);
    expect(first.jobs.map(({ element_id }) => element_id)).toEqual(['two']);
    expect(second.jobs).toEqual([]);
    expect(await completionsOf(one.job.instance_id)).toEqual(['start', 'one']);
  });

  test('are ignored by an instance whose job is to be cancelled by now', async () => {
    const { jobs } = await begin(1);
    await platform.database.write((transaction) =>
      transaction.updateTable('workflow_jobs').set({ state: 'CANCELLING' }).execute(),
    );
    const box = new CompletionQueue();
    const added = jobs.map((job) => box.add(ended(job)));
    await step(box, new Remembering());
    await Promise.all(added);
    expect(await states()).toEqual(['CANCELLING']);
    expect(await completionsOf(jobs[0]?.instance_id ?? '')).toEqual(['start']);
  });

  test.for(['events', 'ends'] as const)(
    'are taken into account although %s of one instance can never be written; that one ends with the cause',
    async (what) => {
      let now = 0;
      const suspects = new Suspects(() => (now += 15_000));
      const advancing = new Advancing(new Remembering(), new CompletionQueue(), new InstanceCache(), suspects);
      const { jobs } = await begin(3, advancing);
      const culprit = jobs[1]?.instance_id ?? '';
      await refuse(culprit);
      const added = jobs.map((job) => advancing.completions.add(ended(job)).catch((error: unknown) => error));
      if (what === 'events') {
        const events = jobs.map((job) => eventRow(platform, job.instance_id, ended(job).event));
        await platform.database.write((transaction) => insertEvents(transaction, events));
      }
      let rounds = 0;
      for (; rounds < 200 && (await phaseOf(culprit)) === 'RUNNING'; rounds += 1) {
        await advance(platform, graphs, advancing);
        // The reporter of an end retries it for a while, and then gives the instance up.
        if (what === 'ends' && rounds === 20) suspects.giveUp(culprit, 'The platform could not write.');
      }
      expect(await phaseOf(culprit)).toBe('ERROR');
      expect(await completionsOf(culprit)).toEqual(['start']);
      expect(await Promise.all(added)).toEqual([undefined, expect.any(Error), undefined]);
      for (const job of [jobs[0], jobs[2]])
        expect(await completionsOf(job?.instance_id ?? '')).toEqual(['start', 'one']);
      const { status, result } = await platform.database.read
        .selectFrom('executions')
        .select(['status', 'result'])
        .where('id', '=', culprit)
        .executeTakeFirstOrThrow();
      expect([status, result]).toEqual(['FAILED', expect.stringContaining('The platform could not write')]);
      while ((await advance(platform, graphs, advancing)).more);
      expect(suspects.has(culprit)).toBe(false);
      await allow();
    },
  );

  test('wait with their instance when one can never be written, until somebody has it tried again', async () => {
    let now = 0;
    const suspects = new Suspects(() => (now += 45_000));
    const advancing = new Advancing(new Remembering(), new CompletionQueue(), new InstanceCache(), suspects);
    const { jobs } = await begin(2, advancing);
    const [first, other] = jobs;
    if (!first || !other) throw new Error('No jobs');
    const id = first.instance_id;
    const all = async () => {
      while ((await advance(platform, graphs, advancing)).more);
    };
    const deliver = (event: Parameters<typeof eventRow>[2]) =>
      platform.database.write((transaction) => insertEvents(transaction, [eventRow(platform, id, event)]));
    await refuse(id, 'setVariables');
    await deliver({ type: 'setVariables', variables: { refused: 1 } });
    await all();
    expect(await shownOf(id)).toEqual({ phase: 'RUNNING', incidents: 1, status: 'FAILED' });
    // Later events wait, in memory or in the table, and nobody looks at them again and again.
    const added = [first, other].map((job) => advancing.completions.add(ended(job)));
    await all();
    await Promise.all(added);
    expect(await completionsOf(other.instance_id)).toEqual(['start', 'one']);
    expect(await completionsOf(id)).toEqual(['start']);
    expect((await advance(platform, graphs, advancing)).more).toBe(false);
    const incident = platformFaultOf((await readState(platform.database.read, id)) ?? fail());
    // Tried again too early, it waits again.
    await deliver({ type: 'resolveIncident', incident: incident ?? 0 });
    await all();
    expect(await shownOf(id)).toMatchObject({ incidents: 1, status: 'FAILED' });
    await allow();
    const again = platformFaultOf((await readState(platform.database.read, id)) ?? fail());
    await deliver({ type: 'resolveIncident', incident: again ?? 0 });
    await all();
    expect(await shownOf(id)).toEqual({ phase: 'RUNNING', incidents: 0, status: 'RUNNING' });
    expect(await completionsOf(id)).toEqual(['start', 'one']);
    const state = await readState(platform.database.read, id);
    expect(state && variablesAt(state, rootOf(state) ?? 0)).toMatchObject({ refused: 1 });
    expect(await platform.database.read.selectFrom('workflow_events').selectAll().execute()).toEqual([]);
  });

  test('and all else of a job are written by whoever has taken it last', async () => {
    const { database } = platform;
    const { jobs } = await begin(1);
    const write = <T>(work: (transaction: Queries) => Promise<T>) => database.write(work);
    const ids = jobs.map(({ id }) => id);
    const now = Date.now();
    const claim = (at: number) => write((transaction) => claimJobs(transaction, ids, at, at + 10_000));
    const [first] = await claim(now + 20_000);
    if (!first) throw new Error('Not taken');
    expect(await claim(now + 29_000)).toEqual([]);
    const [second] = await claim(now + 31_000);
    if (!second) throw new Error('Not taken over');
    // The first has stood still, and wakes.
    await write((transaction) => renewLeases(transaction, [first], now + 99_000));
    const called = { id: first.id, lease: first.lease, application_id: 'app', address: '' };
    expect((await write((transaction) => markCalled(transaction, [called]))).size).toBe(0);
    const sending = { ...called, caller: 'w/1', service_version_id: VERSION };
    expect((await write((transaction) => markCalling(transaction, [sending]))).size).toBe(0);
    expect(await write((transaction) => postpone(transaction, first, 1))).toBe(false);
    expect(await write((transaction) => removeJob(transaction, first))).toBe(false);
    const box = new CompletionQueue();
    const added = box.add(ended(first));
    await step(box, new Remembering());
    await added;
    expect(await openJobs()).toEqual([second]);
    // Leases and pauses end, even those that a wrong clock has written.
    expect(await claim(now - 86_400_000)).toHaveLength(1);
    const [third] = await openJobs();
    if (!third) throw new Error('Not taken');
    expect(await write((transaction) => postpone(transaction, third, now + 86_400_000))).toBe(true);
    expect(await undoClock(database, now)).toBe(1);
    expect(await openJobs()).toMatchObject([{ due: now }]);
    expect(await undoClock(database, now)).toBe(0);
  });

  test('that come twice are one, and delay no others', async () => {
    for (const cached of [true, false]) {
      const advancing = new Advancing(new Remembering());
      const { jobs } = await begin(2, advancing);
      const [one, other] = jobs;
      if (!one || !other) throw new Error('No jobs');
      if (!cached) for (const job of jobs) advancing.cache.forget(job.instance_id);
      const added = [one, one, other].map((job) => advancing.completions.add(ended(job)));
      // One that comes while the first is on its way to the disk, in this process or in another.
      const late = advance(platform, graphs, advancing);
      added.push(advancing.completions.add(ended(one)));
      const rounds = [await late];
      while (rounds.at(-1)?.more && rounds.length < 12) rounds.push(await advance(platform, graphs, advancing));
      expect(rounds.at(-1)?.more).toBe(false);
      await Promise.all(added);
      for (const job of jobs) expect(await completionsOf(job.instance_id)).toEqual(['start', 'one']);
    }
  });

  test('of an instance that is gone are forgotten, and what is gone takes its jobs and its journal along', async () => {
    const { jobs } = await begin(2);
    const box = new CompletionQueue();
    const added = jobs.map((job) => box.add(ended(job)));
    await platform.database.write((transaction) =>
      transaction
        .deleteFrom('executions')
        .where('id', '=', jobs[0]?.instance_id ?? '')
        .execute(),
    );
    await step(box, new Remembering());
    await Promise.all(added);
    expect(await completionsOf(jobs[0]?.instance_id ?? '')).toEqual([]);
    expect(await completionsOf(jobs[1]?.instance_id ?? '')).toEqual(['start', 'one']);
    expect(await states()).toEqual(['OPEN']);
  });

  describe.each(['read', 'cached'] as const)('of an instance that is %s', (how) => {
    test('are taken into account, also when somebody else has advanced it meanwhile', async () => {
      const advancing = new Advancing(new Remembering());
      const { jobs } = await begin(2, advancing);
      const [one, other] = jobs;
      if (!one || !other) throw new Error('No jobs');
      if (how === 'read') for (const job of jobs) advancing.cache.forget(job.instance_id);
      const added = jobs.map((job) => advancing.completions.add(ended(job)));
      await platform.database.write((transaction) =>
        transaction.updateTable('workflow_instances').set({ revision: 7 }).where('id', '=', one.instance_id).execute(),
      );
      const again = how === 'read' ? [] : [await advance(platform, graphs, advancing)];
      expect(again.map(({ more }) => more)).toEqual(how === 'read' ? [] : [true]);
      await advance(platform, graphs, advancing);
      await Promise.all(added);
      for (const job of jobs) expect(await completionsOf(job.instance_id)).toEqual(['start', 'one']);
      const rows = await platform.database.read.selectFrom('workflow_instances').select(['id', 'revision']).execute();
      expect(new Map(rows.map(({ id, revision }) => [id, revision]))).toEqual(
        new Map([
          [one.instance_id, 8],
          [other.instance_id, 2],
        ]),
      );
    });

    test('are ignored once the job is to be cancelled', async () => {
      const advancing = new Advancing(new Remembering());
      const { jobs } = await begin(1, advancing);
      if (how === 'read') for (const job of jobs) advancing.cache.forget(job.instance_id);
      const added = jobs.map((job) => advancing.completions.add(ended(job)));
      await platform.database.write((transaction) =>
        transaction.updateTable('workflow_jobs').set({ state: 'CANCELLING' }).execute(),
      );
      while ((await advance(platform, graphs, advancing)).more);
      await Promise.all(added);
      expect(await states()).toEqual(['CANCELLING']);
      expect(await completionsOf(jobs[0]?.instance_id ?? '')).toEqual(['start']);
    });
  });

  test('are handed over once when two processes remember the instance', async () => {
    const [first, second] = [new Advancing(new Remembering()), new Advancing(new Remembering())];
    const { jobs } = await begin(2, first);
    for (const row of await platform.database.read.selectFrom('workflow_instances').selectAll().execute())
      second.cache.remember(row);
    const [one, other] = jobs.map(ended);
    if (!one || !other) throw new Error('No jobs');
    const added = [first.completions.add(one)];
    await advance(platform, graphs, first);
    added.push(second.completions.add(one), second.completions.add(other));
    expect((await advance(platform, graphs, second)).more).toBe(true);
    await advance(platform, graphs, second);
    await Promise.all(added);
    for (const { job } of [one, other]) expect(await completionsOf(job.instance_id)).toEqual(['start', 'one']);
    const taken = second.executor instanceof Remembering ? second.executor.jobs : [];
    expect(taken.map(({ instance_id }) => instance_id)).toEqual([other.job.instance_id]);
  });

  test('of jobs that another process has asked for reach an instance that is cached from before', async () => {
    const [first, second] = [new Advancing(new Remembering()), new Advancing(new Remembering())];
    const [one] = (await begin(1, first)).jobs.map(ended);
    if (!one) throw new Error('No job');
    const id = one.job.instance_id;
    expect(first.cache.get(id)).toBeDefined();
    await deliver(second, one);
    const [two] = await openJobs();
    if (!two) throw new Error('No second job');
    await deliver(first, ended(two));
    expect(await completionsOf(id)).toEqual(['start', 'one', 'two', 'end', 'process']);
    expect(await states()).toEqual([]);
  });

  test('reach instances wherever their jobs are worked on', async () => {
    const processes = [new Advancing(new Remembering()), new Advancing(new Remembering())] as const;
    const ids = (await begin(8, processes[0])).jobs.map(({ instance_id }) => instance_id);
    for (const task of [0, 1]) {
      // One of every four instances takes each way through the two processes.
      const added = (await openJobs()).map((job) =>
        processes[(ids.indexOf(job.instance_id) >> task) & 1 ? 1 : 0].completions.add(ended(job)),
      );
      while (processes.some(({ completions }) => completions.size > 0))
        await Promise.all(processes.map((process) => advance(platform, graphs, process)));
      await Promise.all(added);
    }
    for (const id of ids) expect(await completionsOf(id)).toEqual(['start', 'one', 'two', 'end', 'process']);
    expect(await states()).toEqual([]);
  });

  test('reach an instance that was advanced by a commit whose answer was lost', async () => {
    const advancing = new Advancing(new Remembering());
    const [one] = (await begin(1, advancing)).jobs.map(ended);
    if (!one) throw new Error('No job');
    const { database } = platform;
    const lost = {
      ...database,
      write: async <T>(work: (transaction: Queries) => Promise<T>): Promise<T> => {
        await database.write(work);
        throw new Error('Connection terminated unexpectedly');
      },
    };
    // The end that another process has reported is in the table.
    await database.write(async (transaction) => {
      await transaction.deleteFrom('workflow_jobs').execute();
      await insertEvents(transaction, [eventRow(platform, one.job.instance_id, one.event)]);
    });
    await expect(advance({ ...platform, database: lost }, graphs, advancing)).rejects.toThrow('terminated');
    const [two] = await openJobs();
    if (!two) throw new Error('No second job');
    await deliver(advancing, ended(two));
    expect(await completionsOf(one.job.instance_id)).toEqual(['start', 'one', 'two', 'end', 'process']);
  });

  test('reach the end of an instance, which is not cached any more', async () => {
    const advancing = new Advancing(new Remembering());
    const executor = await begin(1, advancing);
    const id = executor.jobs[0]?.instance_id ?? '';
    for (const task of ['one', 'two']) {
      expect(advancing.cache.get(id)?.state).toContain(`"${task}"`);
      const added = executor.jobs.slice(-1).map((job) => advancing.completions.add(ended(job)));
      await advance(platform, graphs, advancing);
      await Promise.all(added);
    }
    expect(advancing.cache.get(id)).toBeUndefined();
    expect(await completionsOf(id)).toEqual(['start', 'one', 'two', 'end', 'process']);
    const { status, result } = await platform.database.read
      .selectFrom('executions')
      .select(['status', 'result'])
      .executeTakeFirstOrThrow();
    expect({ status, result }).toEqual({ status: 'SUCCEEDED', result: '{}' });
    expect(await states()).toEqual([]);
  });

  async function deliver(advancing: Advancing, end: Ended): Promise<void> {
    const added = advancing.completions.add(end);
    while ((await advance(platform, graphs, advancing)).more);
    await added;
  }

  /** The database itself refuses what this instance adds to its journal. */
  async function refuse(id: string, text = ''): Promise<void> {
    const { dialect } = platform.database;
    const statements =
      dialect === 'sqlite'
        ? [
            `create trigger refuses before insert on workflow_journal when new.instance_id = '${id}' and new.entry like '%${text}%'
              begin select raise(abort, 'refused'); end`,
          ]
        : [
            `create function refuses() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
            `create trigger refuses before insert on workflow_journal for each row
              when (new.instance_id = '${id}' and new.entry like '%${text}%') execute function refuses()`,
          ];
    for (const statement of statements)
      await platform.database.write((transaction) => sql.raw(statement).execute(transaction));
  }

  async function allow(): Promise<void> {
    const isSqlite = platform.database.dialect === 'sqlite';
    const statements = isSqlite ? ['drop trigger refuses'] : ['drop function refuses cascade'];
    for (const statement of statements)
      await platform.database.write((transaction) => sql.raw(statement).execute(transaction));
  }

  async function shownOf(id: string) {
    return platform.database.read
      .selectFrom('workflow_instances as instance')
      .innerJoin('executions', 'executions.id', 'instance.id')
      .select(['instance.phase', 'instance.incidents', 'executions.status'])
      .where('instance.id', '=', id)
      .executeTakeFirst();
  }

  function fail(): never {
    throw new Error('There is no state');
  }

  async function phaseOf(id: string): Promise<string | undefined> {
    const query = platform.database.read.selectFrom('workflow_instances').select('phase');
    return (await query.where('id', '=', id).executeTakeFirst())?.phase;
  }

  function openJobs(): Promise<WorkflowJobRow[]> {
    return platform.database.read.selectFrom('workflow_jobs').selectAll().execute();
  }

  function step(box: CompletionQueue, executor: JobExecutor) {
    return advance(platform, graphs, new Advancing(executor, box));
  }

  function ended(job: WorkflowJobRow): Ended {
    return { job, event: { type: 'jobSucceeded', job: job.job, result: { answer: 42 } } };
  }

  async function states(): Promise<string[]> {
    const rows = await platform.database.read.selectFrom('workflow_jobs').select('state').execute();
    return rows.map(({ state }) => state);
  }

  /** The completed elements in the journal. */
  async function completionsOf(id: string): Promise<unknown[]> {
    const entries = await readJournalAfter(platform.database.read, id, -1, 100);
    return entries.filter(({ type }) => type === 'completed').map((entry) => 'elementId' in entry && entry.elementId);
  }

  /** Starts instances, each with the job of its first task. */
  async function begin(count: number, advancing = new Advancing(new Remembering())): Promise<Remembering> {
    await acceptedInstances(platform, 'ada', count);
    await advance(platform, graphs, advancing);
    const executor = advancing.executor;
    if (!(executor instanceof Remembering)) throw new Error('Nobody takes the jobs');
    expect(executor.jobs).toHaveLength(count);
    return executor;
  }
});
