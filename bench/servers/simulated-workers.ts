import { setTimeout as pause } from 'node:timers/promises';
import { AccessDirectory } from '@kethub/server/catalog/access';
import { BuildWorker, releaseLostBuilds, type Runnables } from '@kethub/server/catalog/services';
import { openDatabase, type Database } from '@kethub/server/foundation/storage';
import { ContainerWatch, createPolling, LostWorkers } from '@kethub/server/foundation/workers';
import { ExecutionWorker, giveUpExecutions } from '@kethub/server/running/executions';
import { createWorkflows, giveUpCalls, WorkflowEngine } from '@kethub/server/running/workflows';
import { createTestPlatform } from '@kethub/server/testing/platform';
import { SimulatedRuntime } from '../lib/simulated-runtime.ts';
import { untilInputEnds } from './until-input-ends.ts';

export interface WorkersQuestion {
  readonly databaseUrl: string;
  /** Workers in this process, each with its own connections. */
  readonly workers: number;
  /** Executions that each runs at a time, and the milliseconds that one takes. */
  readonly atOnce: number;
  readonly runMs: number;
}

/** Workers of this process that start at a time, and attempts of each to connect. */
const START_TOGETHER = 4;
const ATTEMPTS = 20;

// Workers that are real except for the user code, which a timer stands for. Each has all of a
// worker's process: connections and listener, heartbeat, claims of executions and builds, the engine of workflows, polls.
const { databaseUrl, workers, atOnce, runMs } = JSON.parse(process.argv[2] ?? '') as WorkersQuestion;
// As docs/scale.md advises for many workers.
const open = () => openDatabase({ databaseUrl, sqliteFile: '', connections: 2 });
const database = await open();
const base = await createTestPlatform(
  () => Promise.resolve({ database, address: { databaseUrl, sqliteFile: '' }, again: open, close: () => database.close() }),
  {
    settings: {
      DATABASE_URL: databaseUrl,
      KETHUB_ROLES: 'worker',
      KETHUB_MAX_CONCURRENT_EXECUTIONS: String(atOnce),
      KETHUB_WORKER_CPUS: String(atOnce),
      KETHUB_WORKER_MEMORY_MB: String(atOnce * 4096),
    },
  },
); // prettier-ignore
const runnables: Runnables = {
  load: () =>
    Promise.resolve({
      code: { sourceDir: '', layerDir: null, imports: [] },
      environment: {},
      limits: { memoryBytes: 0, cpus: 0, processes: 0, runTimeMs: 0, tmpBytes: 0, fileBytes: 0, outputBytes: 0, outputFiles: 0, resultBytes: 0, logBytes: 0 },
      hosts: [],
      warm: false,
      providerAccessTokens: false,
      digest: 'd',
      origin: null,
      lock: { python: '3.11', packages: [] },
    } as unknown as Awaited<ReturnType<Runnables['load']>>),
  invalidate: () => undefined,
}; // prettier-ignore
const builder = { build: () => Promise.reject(new Error('A simulated worker builds nothing')) } as never;
const closing: (() => unknown)[] = [];

/** Connects, like a worker that is started again: beside many that start, a connection may take too long. */
async function connected(): Promise<Database> {
  for (let attempt = 1; ; attempt++)
    try {
      return await open();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await pause(Math.random() * 1_000 * attempt);
    }
}

async function begin(): Promise<void> {
  const own = await connected();
  const platform = { ...base, database: own, workerId: base.newId(), ...createPolling(own, base.log) };
  const access = new AccessDirectory(platform);
  const workflows = createWorkflows(platform);
  const builds = new BuildWorker(platform, [{ runtime: 'PYTHON_TEMPLATE', builder, isReady: () => true }]);
  const worker = new ExecutionWorker(platform, new SimulatedRuntime(runMs), runnables, new ContainerWatch(platform));
  const lost = new LostWorkers(platform, [giveUpExecutions, releaseLostBuilds, giveUpCalls]);
  const engine = new WorkflowEngine(platform, workflows, access);
  await worker.start();
  await builds.start();
  lost.start();
  engine.start();
  closing.push(async () => {
    await Promise.all([builds.stop(), worker.stop(0), engine.stop(), lost.stop()]);
    access.close();
    await own.close();
  });
}

let left = workers;
await Promise.all(
  Array.from({ length: START_TOGETHER }, async () => {
    while (left-- > 0) await begin();
  }),
);
process.stdout.write(`${JSON.stringify({ pid: process.pid })}\n`);
await untilInputEnds();
await Promise.all(closing.map((close) => close()));
await base.close();
