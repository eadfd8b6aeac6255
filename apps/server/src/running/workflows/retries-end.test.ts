import { workflowForm } from '@kethub/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addBareVersion } from '../../testing/bare-executions.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { acceptedInstance, workflowsWithoutVersions } from '../../testing/workflow-instances.ts';
import { asFile, bpmn, deployWorkflow } from '../../testing/workflows.ts';
import { fireSchedules } from './schedules.ts';
import { STANDS_STILL } from './stands-still.ts';
import { fireTimers } from './timers.ts';

const { catchEvent, chain, end, file, timer } = bpmn;
const nobody = (): undefined => undefined;

/** Has the database refuse rows. Returns a function that ends this. */
async function refuse({ database }: Pick<TestPlatform, 'database'>, table: string, when: string) {
  const run = (text: string) => database.write((transaction) => sql.raw(text).execute(transaction));
  if (database.dialect === 'sqlite') {
    await run(
      `create trigger refuses before insert on ${table} when ${when} begin select raise(abort, 'refused'); end`,
    );
    return () => run('drop trigger refuses');
  }
  await run(
    `create or replace function refuses() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
  );
  await run(`create trigger refuses before insert on ${table} for each row when (${when}) execute function refuses()`);
  return () => run(`drop trigger refuses on ${table}`);
}

describe.each(databases())('tries that fail again and again on $name', ({ open }) => {
  let platform: TestPlatform;
  let now = 1_000_000;

  beforeAll(async () => {
    platform = { ...(await createTestPlatform(open)), now: () => now };
  });
  afterAll(() => platform.close());

  /** The pauses after each failure, until it stands still. */
  async function pausesOf(look: () => Promise<unknown>, due: () => Promise<number>): Promise<number[]> {
    const pauses: number[] = [];
    for (;;) {
      await look();
      const next = await due();
      if (next === STANDS_STILL || pauses.length > 100) return pauses;
      pauses.push(next - now);
      now = next;
    }
  }

  const timerOf = (id: string) =>
    platform.database.read
      .selectFrom('workflow_timers')
      .select(['due', 'attempts'])
      .where('instance_id', '=', id)
      .executeTakeFirstOrThrow();
  const due = (id: string) => async () => (await timerOf(id)).due;

  async function instanceWithTimer(number: number): Promise<string> {
    const id = await acceptedInstance(platform, `owner ${number}`);
    const row = { instance_id: id, timer: number, element_id: 't', due: now, attempts: 0 };
    await platform.database.write((transaction) => transaction.insertInto('workflow_timers').values(row).execute());
    return id;
  }

  test('a timer is tried 20 times with growing pauses; then it stands still, and its instance is to be suspended', async () => {
    const id = await instanceWithTimer(13);
    const accept = await refuse(platform, 'workflow_events', `new.event like '%timerDue%:13}'`);
    const suspended: string[] = [];
    const pauses = await pausesOf(() => fireTimers(platform, nobody, (one) => suspended.push(one)), due(id));
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, ...Array.from({ length: 13 }, () => 30_000)]);
    expect(suspended).toEqual([]);
    const events = await platform.database.read
      .selectFrom('workflow_events')
      .select('event')
      .where('instance_id', '=', id)
      .where('event', 'like', '%platformFailed%')
      .execute();
    expect(events).toHaveLength(1);
    expect(await fireTimers(platform, nobody, nobody)).toBeGreaterThan(1e15);
    await accept();
  });

  test('a timer whose instance gets no event either is left to the operator of suspended instances, and is tried 20 times more', async () => {
    const id = await instanceWithTimer(14);
    const accept = await refuse(platform, 'workflow_events', `new.instance_id = '${id}'`);
    const suspended: string[] = [];
    const pauses = await pausesOf(() => fireTimers(platform, nobody, (one) => suspended.push(one)), due(id));
    expect(pauses).toHaveLength(39);
    expect(suspended).toEqual(Array.from({ length: 21 }, () => id));
    await accept();
  });

  test('a timer start event is tried 20 times in 14 hours; then it stands still with the reason and the time', async () => {
    await addBareVersion(platform, 'failing');
    const row = {
      service_version_id: 'failing',
      element_id: 'begin',
      due: now,
      timer: null,
      attempts: 0,
      failure: null,
      stopped_at: null,
    };
    await platform.database.write((transaction) => transaction.insertInto('workflow_schedules').values(row).execute());
    const workflows = workflowsWithoutVersions(platform);
    const graphs = { load: () => Promise.reject(new Error('The disk at /secret is full')) };
    const read = () => platform.database.read.selectFrom('workflow_schedules').selectAll().executeTakeFirstOrThrow();
    const pauses = await pausesOf(
      () => fireSchedules(platform, workflows, graphs, nobody),
      async () => (await read()).due,
    );
    const minutes = [1, 2, 4, 8, 16, 32, ...Array.from({ length: 13 }, () => 60)];
    expect(pauses).toEqual(minutes.map((one) => one * 60_000));
    expect(await read()).toMatchObject({
      attempts: 20,
      stopped_at: now,
      failure: 'The platform could not start the workflow. The operator finds the cause in the log.',
    });
    expect(await fireSchedules(platform, workflows, graphs, nobody)).toBeGreaterThan(1e15);
  });
});

describe.each(databases())('what stands still on $name', (kind) => {
  let kethub: TestKethub;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  const run = (text: string) =>
    kethub.kethub.platform.database.write((transaction) => sql.raw(text).execute(transaction));
  const eventually = { timeout: 30_000 };

  test('is an incident of the instance, which goes on when it is tried again', async () => {
    const { client } = kethub;
    const xml = file([
      bpmn.start('start'),
      catchEvent('wait', timer('duration', 'PT0.1S')),
      end('end', { done: '=true' }),
      chain('start', 'wait', 'end'),
    ]);
    const accept = await refuse(kethub.kethub.platform, 'workflow_events', `new.event like '%timerDue%'`);
    const deployed = await deployWorkflow(client, 'Waiting', xml);
    const { id } = await (await callerOf(deployed)).start({});
    const attempts = async () => {
      const { read } = kethub.kethub.platform.database;
      return (await read.selectFrom('workflow_timers').select('attempts').executeTakeFirst())?.attempts ?? 0;
    };
    await expect.poll(attempts, eventually).toBeGreaterThan(0);
    await run('update workflow_timers set attempts = 19, due = 0');
    const incidents = () => client.listWorkflowIncidents({ serviceId: deployed.service.id });
    await expect.poll(async () => (await incidents()).map(({ type }) => type), eventually).toEqual(['PLATFORM_FAULT']);
    expect(await attempts()).toBe(20);
    await accept();
    await client.retryWorkflowIncident({ instanceId: id, incident: (await incidents())[0]?.incident ?? 0, json: {} });
    await expect
      .poll(async () => (await client.getOwnedExecution({ executionId: id })).status, eventually)
      .toBe('SUCCEEDED');
    expect(await incidents()).toEqual([]);
  });

  test('is a timer start event whose owner sees why, tries it again, or deploys another version', async () => {
    const { client } = kethub;
    const xml = file([bpmn.start('begin', timer('cycle', 'R/PT1H')), end('end'), chain('begin', 'end')]);
    const { id } = await client.createService({ body: workflowForm({ name: 'Hourly', source: asFile(xml) }) });
    await client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const schedule = async () => (await client.listWorkflowSchedules({ serviceId: id }))[0];
    await expect.poll(async () => (await schedule())?.nextAt, eventually).toBeDefined();
    expect(await schedule()).toMatchObject({ elementId: 'begin', version: '1.0.0', failures: 0, failure: null });
    const accept = await refuse(kethub.kethub.platform, 'executions', 'new.person_id is null');
    const stop = async () => {
      await run('update workflow_schedules set attempts = 19, due = 1');
      await expect.poll(async () => (await schedule())?.stoppedAt, eventually).toBeDefined();
      expect(await schedule()).toMatchObject({ failures: 20, failure: expect.stringContaining('operator') as string });
      expect(await schedule()).not.toHaveProperty('nextAt');
    };
    const begun = async () => (await client.listWorkflowInstances({ serviceId: id })).length;

    await stop();
    await accept();
    expect(await client.retryWorkflowSchedule({ serviceId: id, elementId: 'begin' })).toMatchObject({
      failures: 0,
      failure: null,
    });
    await expect.poll(begun, eventually).toBe(1);
    expect(await schedule()).toMatchObject({ failures: 0, failure: null, nextAt: expect.any(String) as string });
    // One that has not failed starts nothing before its time.
    await client.retryWorkflowSchedule({ serviceId: id, elementId: 'begin' });
    await expect(client.retryWorkflowSchedule({ serviceId: id, elementId: 'elsewhere' })).rejects.toMatchObject({
      status: 404,
    });

    const again = await refuse(kethub.kethub.platform, 'executions', 'new.person_id is null');
    await stop();
    await again();
    await client.addServiceVersion({ serviceId: id, body: asFile(xml) });
    await client.publishServiceVersion({ serviceId: id, version: '1.1.0', json: { visibility: 'INTERNAL' } });
    await expect.poll(async () => (await schedule())?.nextAt, eventually).toBeDefined();
    expect(await schedule()).toMatchObject({ version: '1.1.0', failures: 0, failure: null });
    expect(await begun()).toBe(1);
  });
});
