import { parse } from '@kethub/workflow';
import { createAccepting, prepareExecution, type Workflows } from '../../apps/server/src/executions/index.ts';
import type { Platform } from '../../apps/server/src/platform.ts';
import { isAmong } from '../../apps/server/src/storage/index.ts';
import { bpmn } from '../../apps/server/src/testing/workflows.ts';
import { advance, eventRow, insertEvents, Turns } from '../../apps/server/src/workflows/advance/index.ts';
import type { Graphs } from '../../apps/server/src/workflows/graphs.ts';
import { createWorkflows } from '../../apps/server/src/workflows/index.ts';

const VERSION = '01890000-0000-7000-8000-00000000000b';
/** As many accept at the same time, as the gateway would. */
const ACCEPTED_AT_ONCE = 64;
/** As many wait for their end at most. */
const OPEN_AT_ONCE = 512;
const JOBS_AT_ONCE = 256;

/** A process with so many service tasks, one after the other, each with two input mappings and an output mapping. */
export async function graphOf(count: number): Promise<Graphs> {
  const { chain, end, file, service, start } = bpmn;
  const ids = Array.from({ length: count }, (_value, number) => `task${number}`);
  const tasks = ids.map((id) => service(id, { in: { data: '=n', params: '={seed: n}' }, out: { n: '=n + 1' } }));
  const parsed = await parse(file([start('start'), ...tasks, end('end', { n: '=n' }), chain('start', ...ids, 'end')]));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return { load: () => Promise.resolve(parsed.graph) };
}

/** Accepts instances, advances them as the engine does, and answers their jobs, until all have ended. */
export async function runInstances(platform: Platform, graphs: Graphs, count: number): Promise<void> {
  const ended = await countEnded(platform);
  const progress = { accepted: 0, ended: 0 };
  const isOver = (): boolean => progress.ended >= count;
  const accepting = acceptAll(platform, count, progress);
  const turns = new Turns();
  const lanes = Array.from({ length: platform.database.dialect === 'postgres' ? 2 : 1 }, async () => {
    while (!isOver()) {
      const { more } = await advance(platform, graphs, turns);
      if (!more) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  while (!isOver()) {
    await answerJobs(platform);
    progress.ended = (await countEnded(platform)) - ended;
    // A query of SQLite takes no turn of the event loop, and the others need theirs.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([accepting, ...lanes]);
}

async function acceptAll(
  platform: Platform,
  count: number,
  progress: { accepted: number; readonly ended: number },
): Promise<void> {
  const door: Workflows = { ...createWorkflows(platform), check: () => Promise.resolve() };
  const accepting = createAccepting(platform, door);
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
  const caller = async (): Promise<void> => {
    while (progress.accepted < count) {
      if (progress.accepted - progress.ended >= OPEN_AT_ONCE) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        continue;
      }
      progress.accepted += 1;
      await accepting.add(await prepareExecution(platform, door, origin, platform.newId(), '{"n": 1}'));
    }
  };
  await Promise.all(Array.from({ length: ACCEPTED_AT_ONCE }, caller));
}

async function countEnded({ database }: Platform): Promise<number> {
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
  const jobs = await database.read
    .selectFrom('workflow_jobs')
    .select(['id', 'instance_id', 'job', 'input'])
    .orderBy('id')
    .limit(JOBS_AT_ONCE)
    .execute();
  if (jobs.length === 0) return;
  const ids = jobs.map(({ id }) => id);
  const events = jobs.map(({ id, instance_id, job, input }) =>
    eventRow(platform, instance_id, { type: 'jobSucceeded', job, result: JSON.parse(input ?? '{}') }, `job:${id}`),
  );
  await database.write(async (transaction) => {
    await transaction
      .deleteFrom('workflow_jobs')
      .where(isAmong(transaction, 'id', ids))
      .execute();
    await insertEvents(transaction, events);
  });
}
