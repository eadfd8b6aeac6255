import { parse, type Value } from '@kethub/workflow';
import { createAccepting, onExecutionChanged, prepareExecution, wakeWorkers } from '../running/executions/index.ts';
import type { Platform } from '../foundation/platform.ts';
import { bpmn } from './workflows.ts';
import { advance, CompletionQueue, Advancing, type JobExecutor } from '../running/workflows/advance/index.ts';
import type { Graphs } from '../running/workflows/graphs.ts';
import { concurrencyOf, shareOfOwners, wakeAdvancers } from '../running/workflows/engine.ts';
import { FirstSteps } from '../running/workflows/first-step.ts';
import type { WorkflowPort } from '../running/workflows/index.ts';
import { workflowsWithoutVersions } from './workflow-instances.ts';
import { Loop } from '../running/workflows/loop.ts';
import { originOfOwner } from '../running/workflows/start-by-event.ts';
import { onWorkflowsToDo } from '../running/workflows/wake.ts';

const VERSION = '01890000-0000-7000-8000-00000000000b';
/** Acceptances at the same time, as the gateway makes them. */
const ACCEPTED_AT_ONCE = 64;
/** Instances that wait for their end at most. */
const OPEN_AT_ONCE = 1_024;
/** Milliseconds for which this process has the lease of a job. */
const LEASE_MS = 10_000;

/** A process with so many service tasks in sequence, each with two input mappings and an output mapping. */
export async function graphOf(count: number): Promise<Graphs> {
  const { chain, end, file, service, start } = bpmn;
  const ids = Array.from({ length: count }, (_value, number) => `task${number}`);
  const tasks = ids.map((id) => service(id, { in: { data: '=n', params: '={seed: n}' }, out: { n: '=n + 1' } }));
  const parsed = await parse(file([start('start'), ...tasks, end('end', { n: '=n' }), chain('start', ...ids, 'end')]));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return { load: () => Promise.resolve(parsed.graph) };
}

/** Accepts instances, advances them as the engine does, and answers their jobs at once, until all have ended. */
export async function runInstances(platform: Platform, graphs: Graphs, count: number): Promise<void> {
  const before = await countEnded(platform);
  const failed = Promise.withResolvers<never>();
  const completions = new CompletionQueue(() => wake());
  const taker = answering(platform, completions, failed.reject);
  const advancing = new Advancing(taker, completions);
  const advancers = Array.from(
    { length: concurrencyOf(platform.database) },
    () =>
      new Loop('advancing workflows', platform, async () => {
        const { more } = await advance(platform, graphs, advancing);
        return more ? 0 : null;
      }),
  );
  const wake = (): void => wakeAdvancers(advancers, completions);
  const workflows = workflowsWithoutVersions(platform);
  workflows.firstSteps = new FirstSteps(platform, graphs, shareOfOwners(), advancing, { jobs: wake, timers: wake });
  const progress = { accepted: 0, ended: 0 };
  const isOver = Promise.withResolvers<void>();
  const unsubscribe = [
    onWorkflowsToDo(platform.database, () => {
      advancing.roundRobin.notify();
      wake();
    }),
    onExecutionChanged(platform.database, (_id, published) => {
      // The acceptance is published as well, without a row.
      if (published() === null) return;
      progress.ended += 1;
      if (progress.ended === count) isOver.resolve();
    }),
  ];
  try {
    await Promise.race([
      Promise.all([acceptAll(platform, count, workflows, progress), isOver.promise]),
      failed.promise,
    ]);
  } finally {
    for (const end of unsubscribe) end();
    await Promise.all(advancers.map((advancer) => advancer.stop()));
  }
  const ended = (await countEnded(platform)) - before;
  if (ended !== count) throw new Error(`${ended} of ${count} instances have ended`);
}

/** Begins each job as soon as it is on disk, as a process with free slots does. Its result is there at once. */
function answering(platform: Platform, completions: CompletionQueue, failed: (error: unknown) => void): JobExecutor {
  return {
    reserve: () => platform.now() + LEASE_MS,
    release: () => undefined,
    begin(jobs) {
      for (const job of jobs) {
        const event = { type: 'jobSucceeded', job: job.job, result: JSON.parse(job.input ?? '{}') as Value } as const;
        completions.add({ job, event }).catch(failed);
      }
    },
  };
}

async function acceptAll(
  platform: Platform,
  count: number,
  workflows: WorkflowPort,
  progress: { accepted: number; readonly ended: number },
): Promise<void> {
  const accepting = createAccepting(platform, workflows);
  const origin = originOfOwner(platform, { type: 'USER', id: 'ada' }, 'ada', VERSION, VERSION);
  const caller = async (): Promise<void> => {
    while (progress.accepted < count) {
      if (progress.accepted - progress.ended >= OPEN_AT_ONCE) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        continue;
      }
      progress.accepted += 1;
      const prepared = await prepareExecution(platform, workflows, origin, platform.newId(), '{"n": 1}');
      prepared.firstStep = await workflows.firstStep(prepared);
      await accepting.add(prepared);
      wakeWorkers(platform, workflows, prepared);
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
