import type { Measurement } from '../lib/measurement.ts';
import { accounts } from './accounts.ts';
import { applications } from './applications.ts';
import { catalog } from './catalog.ts';
import { kubernetes, slurm } from './clusters.ts';
import { commandLine } from './command-line.ts';
import { containers } from './containers.ts';
import { acceptedExecutions } from './executions.ts';
import { dashboard } from './dashboard.ts';
import { dashboardFiles } from './dashboard-files.ts';
import { feel } from './feel.ts';
import { forwarding } from './forwarding.ts';
import { gitTransfers } from './git.ts';
import { keycloak } from './keycloak.ts';
import { manyExecutions } from './many-executions.ts';
import { manyWorkers } from './many-workers.ts';
import { modeller } from './modeller.ts';
import { oneDay } from './one-day.ts';
import { queue } from './queue.ts';
import { runs } from './runs.ts';
import { serve } from './serve.ts';
import { start } from './start.ts';
import { statusReads } from './status-reads.ts';
import { throughput } from './throughput.ts';
import { timing } from './timing.ts';
import { tokenGrants } from './token-grants.ts';
import { warm } from './warm.ts';
import { workflowCalls } from './workflow-calls.ts';
import { workflowEngine } from './workflow-engine.ts';
import { workflowLarge } from './workflow-large.ts';
import { workflowMemory } from './workflow-memory.ts';
import { workflows } from './workflows.ts';

/** Every measurement by its name, in the order in which `npm run bench` takes them. */
export const measurements: Readonly<Record<string, () => Promise<Measurement[]>>> = {
  statusReads,
  tokenGrants,
  acceptedExecutions,
  applications,
  runs,
  warm,
  throughput,
  containers,
  queue,
  start,
  commandLine,
  serve,
  forwarding,
  feel,
  catalog,
  accounts,
  keycloak,
  kubernetes,
  slurm,
  dashboard,
  dashboardFiles,
  manyExecutions,
  manyWorkers,
  oneDay,
  modeller,
  git: gitTransfers,
  timing,
  workflowEngine,
  workflows,
  workflowCalls,
  workflowLarge,
  workflowMemory,
};

/** Measurements that run only when named: they take longer than all others, or promise no number. */
export const onRequest: readonly string[] = [
  'accounts',
  'dashboard',
  'dashboardFiles',
  'git',
  'keycloak',
  'kubernetes',
  'manyExecutions',
  'manyWorkers',
  'modeller',
  'oneDay',
  'serve',
  'slurm',
  'timing',
  'workflows',
  'workflowCalls',
  'workflowLarge',
  'workflowMemory',
];
