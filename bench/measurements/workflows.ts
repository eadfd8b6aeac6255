import { parse } from '@kethub/workflow';
import { pino } from 'pino';
import { acceptExecutions, prepareExecution, type Workflows } from '../../apps/server/src/executions/index.ts';
import type { Platform } from '../../apps/server/src/platform.ts';
import { insertMany, isAmong } from '../../apps/server/src/storage/index.ts';
import { databases } from '../../apps/server/src/testing/databases.ts';
import { createTestPlatform } from '../../apps/server/src/testing/platform.ts';
import { bpmn } from '../../apps/server/src/testing/workflows.ts';
import { advance, eventRow } from '../../apps/server/src/workflows/advance/index.ts';
import type { Graphs } from '../../apps/server/src/workflows/graphs.ts';
import { createWorkflows } from '../../apps/server/src/workflows/index.ts';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const INSTANCES = 2_000;
const ROUNDS = 3;
/** As many accept at the same time, as the gateway would. */
const AT_ONCE = 64;
const TASKS = ['a', 'b', 'c', 'd', 'e'];
const VERSION = '01890000-0000-7000-8000-00000000000b';

/**
 * Instances a second of a process with five service tasks, each with two input mappings and an output mapping, from the
 * request on: accepted, advanced in batches, every task handed over as a job and answered, the result written. Durable on
 * both databases. The services answer at once: what they compute is measured elsewhere.
 */
export async function workflows(): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (const { name, open } of databases) {
    const platform = { ...(await createTestPlatform(open)), log: pino({ level: 'silent' }) };
    const rates: number[] = [];
    try {
      const graphs = await fiveTasks();
      await round(platform, graphs, 200);
      for (let one = 0; one < ROUNDS; one++) rates.push(await round(platform, graphs, INSTANCES));
    } finally {
      await platform.close();
    }
    measured.push({
      name: `Workflow instances of five tasks, ${name}`,
      unit: 'instances/s',
      value: median(rates),
      goal: { atLeast: 1_000 },
      how: `${ROUNDS} rounds of ${INSTANCES} instances in one process with its database, ${AT_ONCE} accepted at a time; services that answer at once`,
      rounds: { rates },
    });
  }
  return measured;
}

async function fiveTasks(): Promise<Graphs> {
  const { chain, end, file, service, start } = bpmn;
  const tasks = TASKS.map((id) => service(id, { in: { data: '=n', params: '={seed: n}' }, out: { n: '=n + 1' } }));
  const parsed = await parse(
    file([start('start'), ...tasks, end('end', { n: '=n' }), chain('start', ...TASKS, 'end')]),
  );
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return { load: () => Promise.resolve(parsed.graph) };
}

/** How many a second. */
async function round(platform: Platform, graphs: Graphs, count: number): Promise<number> {
  const door: Workflows = { ...createWorkflows(platform), check: () => Promise.resolve() };
  const began = performance.now();
  let accepted = 0;
  const accepting = Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (accepted < count) {
        accepted++;
        await accept(platform, door);
      }
    }),
  );
  while ((await ended(platform)) < count) {
    let more = true;
    while (more) ({ more } = await advance(platform, graphs));
    await answerJobs(platform);
  }
  await accepting;
  const seconds = (performance.now() - began) / 1000;
  await platform.database.write((transaction) => transaction.deleteFrom('executions').execute());
  return count / seconds;
}

async function accept(platform: Platform, door: Workflows): Promise<void> {
  const origin = {
    scope: { of: { by: 'OWNER' as const, type: 'USER' as const, id: 'ada' }, address: '' },
    subscriptionId: null,
    applicationId: null,
    owner: { type: 'USER' as const, id: 'ada' },
    personId: 'ada',
    serviceId: VERSION,
    serviceVersionId: VERSION,
    dataPools: [],
    isWorkflow: true,
  };
  const prepared = await prepareExecution(platform, door, origin, platform.newId(), '{"n": 1}');
  await platform.database.write((transaction) => acceptExecutions(door, transaction, [prepared]));
}

async function ended({ database }: Platform): Promise<number> {
  const { count } = await database.read
    .selectFrom('executions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', 'SUCCEEDED')
    .executeTakeFirstOrThrow();
  return count;
}

/** Takes what is open in batches, as services would that answer at once. */
async function answerJobs(platform: Platform): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const jobs = await transaction.selectFrom('workflow_jobs').select(['id', 'instance_id', 'job', 'input']).execute();
    if (jobs.length === 0) return;
    const ids = jobs.map(({ id }) => id);
    await transaction
      .deleteFrom('workflow_jobs')
      .where(isAmong(transaction, 'id', ids))
      .execute();
    const events = jobs.map(({ id, instance_id, job, input }) =>
      eventRow(platform, instance_id, { type: 'jobSucceeded', job, result: JSON.parse(input ?? '{}') }, `job:${id}`),
    );
    await insertMany(transaction, 'workflow_events', ['id', 'instance_id', 'dedupe_key', 'event', 'bytes'], events);
  });
}
