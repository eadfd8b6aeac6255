import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBuilder, createClusterImages, createImageBuilder, withoutBuilds } from '@kethub/runtime/build';
import { keepOwnRoot } from '@kethub/runtime/root';
import { jobProgram, SlurmRuntime, stagedProgram } from '@kethub/runtime/slurm';
import type { Runtime } from '@kethub/runtime';
import { BuildWorker, createRunnables, LayerKeeper, type Builders } from './catalog/services/index.ts';
import type { Configuration, SlurmSettings } from './foundation/config/index.ts';
import type { Platform } from './foundation/platform.ts';
import { reachRuntime } from './foundation/process/index.ts';
import { storeProblem } from './foundation/storage/index.ts';
import { ContainerWatch } from './foundation/workers/index.ts';
import {
  ExecutionWorker,
  type ExecutionLogs,
  JOB_PREFIX,
  jobPrefixOf,
  unclaimedJobs,
  WarmPodKeeper,
} from './running/executions/index.ts';

/** Milliseconds after which a runner counts as one that does not answer. */
const RUNNER_MS = 10_000;

/** Ways to close what has been opened; closed in the opposite order, also when the start fails half way. */
export type Opened = ((finishMs: number) => Promise<unknown> | void)[];

/** The role `worker` of this process. */
export interface Worker {
  readonly runtime: Runtime;
  readonly logs: ExecutionLogs;
  isConnected(): boolean;
  running(): number;
  /** A sentence about what keeps it from running user code; null if nothing does. */
  problem(): Promise<string | null>;
}

/** Reaches the runtime, and begins to claim builds and executions. What is opened is added to `opened`. */
export async function startWorker(platform: Platform, opened: Opened): Promise<Worker> {
  const { configuration, log } = platform;
  const { dataDir } = configuration;
  let connected = true;
  const local = await reachRuntime({
    dataDir,
    containers: configuration.containers,
    kubernetes: configuration.kubernetes,
    warmPods: configuration.warmPods,
    warmBytes: configuration.warmMemoryMb * 1024 * 1024,
    serviceNetworks: configuration.serviceNetworks,
    ...(configuration.freeDiskBytes !== null && { freeBytes: configuration.freeDiskBytes }),
    onConnection(state, detail) {
      connected = state === 'CONNECTED';
      log[connected ? 'info' : 'warn']({ detail }, `runner ${state}`);
    },
  });
  const runtime = configuration.slurm === null ? local : await inJobs(platform, local, configuration.slurm);
  opened.push(() => runtime.close());
  if (configuration.sandboxRoot === 'own') {
    const root = keepOwnRoot(dataDir, runtime, {
      info: (line) => log.info(line),
      warn: (line) => log.warn(line),
    });
    opened.push(() => root.stop());
  }
  const containers = new ContainerWatch(platform);
  const builders = buildersOf(configuration, runtime);
  const { PYTHON_TEMPLATE, DOCKER } = builders;
  const builds = new BuildWorker(platform, [
    { runtime: 'PYTHON_TEMPLATE', builder: PYTHON_TEMPLATE, isReady: () => true },
    ...(DOCKER ? [{ runtime: 'DOCKER' as const, builder: DOCKER, isReady: () => containers.usable }] : []),
  ]);
  const layers = new LayerKeeper(platform, PYTHON_TEMPLATE.layers, runtime);
  const worker = new ExecutionWorker(platform, withoutBuilds(runtime), createRunnables(platform, builders), containers);
  opened.push((finishMs) => Promise.all([builds.stop(), layers.stop(), worker.stop(finishMs)]));
  await worker.start();
  await builds.start();
  layers.start();
  if (configuration.warmPods > 0) opened.push(new WarmPodKeeper(platform, runtime).start());
  const problem = async (): Promise<string | null> => {
    // A runner that hangs does not keep the process from reporting.
    const late = pause(RUNNER_MS, null, { ref: false });
    const status = connected ? await Promise.race([runtime.status().catch(() => null), late]) : null;
    if (status === null) return 'The runner does not answer. The log of the platform says why.';
    const { clusterAway, leftAlone = null } = status;
    if (clusterAway) return `The cluster does not answer; executions go on when it does: ${clusterAway}`;
    return (await storeProblem(platform)) ?? containers.problem ?? leftAlone;
  };
  return { runtime, logs: worker.logs, isConnected: () => connected, running: () => worker.running, problem };
}

/** Executions of Python services become batch jobs; everything else stays with the runner of this machine. */
async function inJobs(
  { workerId, log, configuration, database }: Platform,
  local: Runtime,
  settings: SlurmSettings,
): Promise<Runtime> {
  const program = settings.staging === null ? jobProgram : stagedProgram;
  const runtime = new SlurmRuntime(local, {
    ...settings,
    command: [settings.node, settings.programFolder === null ? program : onNode(program, settings.programFolder)],
    prefix: jobPrefixOf(workerId ?? ''),
    unclaimed: { prefix: JOB_PREFIX, of: (names) => unclaimedJobs(database, names) },
    networks: configuration.serviceNetworks,
    warn: (line) => log.warn(line),
  });
  await runtime.listen();
  return runtime;
}

/** Path of a program of ours on a node that has Kethub in another folder. */
function onNode(program: string, folder: string): string {
  return path.join(folder, path.relative(path.join(import.meta.dirname, '../../..'), program));
}

function buildersOf({ dataDir, containers, kubernetes }: Configuration, runtime: Runtime): Builders {
  const registry = kubernetes?.registry ?? null;
  const ofEngine = containers && { dataDir, socketPath: containers.socketPath, network: containers.buildNetwork };
  return {
    PYTHON_TEMPLATE: createBuilder({ dataDir, runtime }),
    DOCKER: registry ? createClusterImages({ dataDir, runtime, registry }) : ofEngine && createImageBuilder(ofEngine),
  };
}
