import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccepting, prepareExecution } from '../executions/index.ts';
import { insertMany } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { Turns } from './advance/index.ts';
import { candidates } from './advance/work.ts';
import { dueJobs } from './calls/queries.ts';
import { workflowsWithoutVersions } from '../../testing/workflow-instances.ts';

const VERSION = '01890000-0000-7000-8000-00000000000b';

describe.each(databases)('turns of owners on $name', ({ open }) => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await createTestPlatform(open);
  });

  afterAll(() => platform.close());

  beforeEach(() => platform.database.write((transaction) => transaction.deleteFrom('executions').execute()));

  test('one event of an owner is in the next batch, however many another has', async () => {
    await accept('noisy', 700);
    const [quiet] = await accept('quiet', 1);
    const { instances, events } = await candidates(platform.database.read, new Turns());
    expect(instances).toContain(quiet);
    expect(instances).toHaveLength(128);
    expect(new Set(events).size).toBe(128);
  });

  test('more owners than a round takes have their turn in the next', async () => {
    const all = [];
    for (let owner = 0; owner < 40; owner += 1) all.push(...(await accept(`owner ${owner}`, 1)));
    const turns = new Turns();
    const [first, second, third] = [await next(turns), await next(turns), await next(turns)];
    expect([first.length, second.length]).toEqual([32, 8]);
    expect(new Set([...first, ...second])).toEqual(new Set(all));
    expect(third).toEqual(first);
  });

  test('what another batch of this process advances is left to it', async () => {
    const [one, other] = await accept('ada', 2);
    const turns = new Turns();
    turns.busy.add(one ?? '');
    expect(await next(turns)).toEqual([other]);
  });

  test('jobs of an owner are taken beside those of another, who takes no more than its room', async () => {
    const [noisy] = await accept('noisy', 1);
    const [quiet] = await accept('quiet', 1);
    await addJobs(noisy ?? '', 'USER noisy', 200);
    const [own] = await addJobs(quiet ?? '', 'USER quiet', 1);
    const room = { all: 64, of: (owner: string) => (owner === 'USER noisy' ? 48 : 64) };
    const due = await dueJobs(platform.database, new Turns(), platform.now(), room);
    expect(due).toHaveLength(49);
    expect(due.slice(0, 2).map(({ id }) => id)).toContain(own);
  });

  async function next(turns: Turns): Promise<readonly string[]> {
    return (await candidates(platform.database.read, turns)).instances;
  }

  /** Starts so many instances for an owner; returns their ids. */
  async function accept(owner: string, count: number): Promise<string[]> {
    const workflows = workflowsWithoutVersions(platform);
    const accepting = createAccepting(platform, workflows);
    const origin = {
      scope: { of: { by: 'OWNER' as const, type: 'USER' as const, id: owner }, address: '' },
      subscriptionId: null,
      applicationId: null,
      owner: { type: 'USER' as const, id: owner },
      personId: owner,
      serviceId: VERSION,
      serviceVersionId: VERSION,
      program: { type: 'WORKFLOW' as const },
    };
    const ids = Array.from({ length: count }, () => platform.newId());
    const accepted = ids.map(async (id) =>
      accepting.add(await prepareExecution(platform, workflows, origin, id, '{"n": 1}')),
    );
    await Promise.all(accepted);
    return ids;
  }

  async function addJobs(instanceId: string, owner: string, count: number): Promise<string[]> {
    const jobs = Array.from({ length: count }, (_value, job) => ({
      id: platform.newId(),
      instance_id: instanceId,
      owner,
      job,
      element_id: 'task',
      state: 'OPEN',
      service: '{}',
      due: 0,
      attempts: 0,
      locked_until: 0,
    }));
    const columns = ['id', 'instance_id', 'owner', 'job', 'element_id', 'state', 'service'] as const;
    await platform.database.write((transaction) =>
      insertMany(transaction, 'workflow_jobs', [...columns, 'due', 'attempts', 'locked_until'], jobs),
    );
    return jobs.map(({ id }) => id);
  }
});
