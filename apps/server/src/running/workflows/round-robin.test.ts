import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertMany } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { RoundRobin } from './advance/index.ts';
import { candidates } from './advance/work.ts';
import { dueJobs } from './calls/queries.ts';
import { acceptedInstances } from '../../testing/workflow-instances.ts';

describe.each(databases())('turns of owners on $name', ({ open }) => {
  let platform: TestPlatform;

  beforeAll(async () => {
    platform = await createTestPlatform(open);
  });

  afterAll(() => platform.close());

  beforeEach(() => platform.database.write((transaction) => transaction.deleteFrom('executions').execute()));

  test('one event of an owner is in the next batch, however many another has', async () => {
    await acceptedInstances(platform, 'noisy', 700);
    const [quiet] = await acceptedInstances(platform, 'quiet', 1);
    const { instances, events } = await candidates(platform.database.read, new RoundRobin());
    expect(instances).toContain(quiet);
    expect(instances).toHaveLength(128);
    expect(new Set(events).size).toBe(128);
  });

  test('more owners than a round takes have their turn in the next', async () => {
    const all = [];
    for (let owner = 0; owner < 40; owner += 1) all.push(...(await acceptedInstances(platform, `owner ${owner}`, 1)));
    const roundRobin = new RoundRobin();
    const [first, second, third] = [await next(roundRobin), await next(roundRobin), await next(roundRobin)];
    expect([first.length, second.length]).toEqual([32, 8]);
    expect(new Set([...first, ...second])).toEqual(new Set(all));
    expect(third).toEqual(first);
  });

  test('what another batch of this process advances is left to it', async () => {
    const [one, other] = await acceptedInstances(platform, 'ada', 2);
    const roundRobin = new RoundRobin();
    roundRobin.busy.add(one ?? '');
    expect(await next(roundRobin)).toEqual([other]);
  });

  test('jobs of an owner are taken beside those of another, who takes no more than its room', async () => {
    const [noisy] = await acceptedInstances(platform, 'noisy', 1);
    const [quiet] = await acceptedInstances(platform, 'quiet', 1);
    await addJobs(noisy ?? '', 'USER noisy', 200);
    const [own] = await addJobs(quiet ?? '', 'USER quiet', 1);
    const free = { all: 64, of: (owner: string) => (owner === 'USER noisy' ? 48 : 64) };
    const due = await dueJobs(platform.database, new RoundRobin(), platform.now(), free);
    expect(due).toHaveLength(49);
    expect(due.slice(0, 2).map(({ id }) => id)).toContain(own);
  });

  async function next(roundRobin: RoundRobin): Promise<readonly string[]> {
    return (await candidates(platform.database.read, roundRobin)).instances;
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
