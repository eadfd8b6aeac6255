import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime } from '@kethub/runtime';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { createAccounts } from './people/accounts/index.ts';
import { createApi, createGitServer } from './api/index.ts';
import { AccessDirectory } from './catalog/access/index.ts';
import { applicationCatalog } from './catalog/applications/index.ts';
import { forgetOldEntries } from './people/audit/index.ts';
import type { Configuration } from './foundation/config/index.ts';
import { Dashboard } from './dashboard/index.ts';
import { dataPoolCatalog } from './catalog/datapools/index.ts';
import {
  executionCatalog,
  Executions,
  expireResults,
  giveUpExecutions,
  type Workflows,
  serviceOfExecution,
} from './running/executions/index.ts';
import { createGateway } from './running/gateway/index.ts';
import {
  ConnectionLimits,
  createHttpServer,
  createIds,
  createReadiness,
  serveHealth,
  type Needs,
} from './foundation/http/index.ts';
import {
  implementationCatalog,
  Importer,
  Keeper,
  openGitStore,
  SourceFollower,
  type GitStore,
} from './catalog/implementations/index.ts';
import { createIdentity, type IdentityService } from './people/identity/index.ts';
import { createMailer, type Mailer } from './foundation/mail/index.ts';
import { nameProvider } from './catalog/marketplace/index.ts';
import { organizationCatalog } from './people/organizations/index.ts';
import type { Addresses, Platform } from './foundation/platform.ts';
import {
  isAlone,
  openDataFolder,
  passedSockets,
  requireSandbox,
  takePart,
  usablePorts,
  workerIdOf,
  type Ports,
  type SocketName,
} from './foundation/process/index.ts';
import { storageCatalog } from './catalog/quotas/index.ts';
import { providerTokenCatalog } from './catalog/provider-tokens/index.ts';
import { releaseLostBuilds, serviceCatalog } from './catalog/services/index.ts';
import { sharingCatalog } from './catalog/sharing/index.ts';
import {
  createSeal,
  instanceKey,
  joinDataFolder,
  joinInstallation,
  openBlobs,
  openDatabase,
  sqliteFileIn,
} from './foundation/storage/index.ts';
import { openMetrics, openTelemetry } from './foundation/telemetry/index.ts';
import { createPolling, LostWorkers, reportProcess } from './foundation/workers/index.ts';
import { startWorker, type Opened, type Worker } from './start-worker.ts';
import { createWorkflows, giveUpCalls, WorkflowEngine, type WorkflowPort } from './running/workflows/index.ts';

/** A running platform, or the roles of it that this process plays. */
export interface Kethub {
  readonly platform: Platform;
  /** null in a process without the role `api`. */
  readonly identity: IdentityService | null;
  /** null in a process without the role `worker`. */
  readonly runtime: Runtime | null;
  /** Number of executions that run here now. */
  running(): number;
  /** Accepts no more requests, answers those that it has received, and closes. User code that runs goes on and is collected at the next start. */
  stop(): Promise<void>;
}

/** One that plays every role. */
export interface WholeKethub extends Kethub {
  readonly identity: IdentityService;
  readonly runtime: Runtime;
}

export function isWhole(kethub: Kethub): kethub is WholeKethub {
  return kethub.identity !== null && kethub.runtime !== null && kethub.platform.configuration.roles.gateway;
}

/** Milliseconds that a process which stops gives to callers and executions. */
type Ending = Pick<Configuration, 'drainMs' | 'stopMs' | 'finishMs'>;

interface Starting {
  readonly opened: Opened;
  readonly servers: FastifyInstance[];
  readonly stop: () => Promise<void>;
}

/** Starts the platform. Throws Refusal when it cannot start as it is set up; then nothing stays open. */
export async function startKethub(configuration: Configuration, log: Logger): Promise<Kethub> {
  const opened: Opened = [];
  const servers: FastifyInstance[] = [];
  const end = async (ending: Ending): Promise<void> => {
    await drain(servers, ending);
    for (let close = opened.pop(); close; close = opened.pop()) await close(ending.finishMs);
  };
  try {
    return await start(configuration, log, { opened, servers, stop: () => end(configuration) });
  } catch (error) {
    // Nobody has called it yet, and whoever starts it waits for the reason.
    await end({ drainMs: 0, stopMs: 0, finishMs: 0 });
    throw error;
  }
}

/** Lets all servers answer what they have received. Whatever answers it is still open. */
async function drain(servers: readonly FastifyInstance[], { drainMs, stopMs }: Ending): Promise<void> {
  for (const app of servers) app.drain.begin();
  if (servers.length > 0 && drainMs > 0) await pause(drainMs);
  await Promise.all(servers.map((app) => app.drain.finish(stopMs)));
}

async function start(configuration: Configuration, log: Logger, { opened, servers, stop }: Starting): Promise<Kethub> {
  const { roles, dataDir, host } = configuration;
  openDataFolder(dataDir);
  for (const part of ['worker', 'api'] as const) if (roles[part]) opened.push(takePart(dataDir, part));
  const keeper = roles.git ? await Keeper.open(dataDir) : null;
  opened.push(() => keeper?.close());
  const sockets = passedSockets(process.env);
  const ports = await usablePorts(configuration, sockets);
  if (roles.worker) await requireSandbox();
  const platform = await openPlatform(configuration, ports, log);
  opened.push(() => platform.telemetry.tracing?.close());
  opened.push(() => platform.database.close());
  let worker: Worker | null = null;
  opened.push(reportProcess(platform, () => worker?.problem() ?? Promise.resolve(null)));

  worker = roles.worker ? await startWorker(platform, opened) : null;
  opened.push(await openMetrics(platform, worker?.runtime ?? null));
  const needs: Needs = {
    database: async () => (await sql`select 1`.execute(platform.database.read)).rows.length === 1,
    ...(worker && { runner: worker.isConnected }),
  };
  const open = async (app: FastifyInstance, name: SocketName, port: number): Promise<void> => {
    serveHealth(
      app,
      createReadiness(needs, () => performance.now()),
    );
    opened.push(() => app.close());
    const fd = sockets.get(name);
    await app.listen(fd === undefined ? { host, port } : ({ host, fd } as object));
    servers.push(app);
  };
  if (roles.api || roles.worker) watchWorkers(platform, opened);
  const workflows = createWorkflows(platform);
  const access = roles.worker || roles.gateway ? new AccessDirectory(platform) : null;
  if (access) opened.push(() => access.close());
  if (roles.worker && access) runWorkflows(platform, workflows, access, opened);
  const executions = new Executions(platform, worker?.logs ?? null, workflows);
  opened.push(() => executions.close());
  const store = keeper && openGitStore(platform, keeper);
  if (store) followSources(platform, store, opened);
  const identity = roles.api ? await createIdentity(platform) : null;
  if (store) importRepositories(platform, store, identity?.mailer ?? null, opened);
  opened.push(() => keeper?.stopWaiting());
  if (identity)
    await open(await openApi(platform, identity, executions, workflows, store, opened), 'platform', ports.api);
  else if (store) await open(await openGit(platform, store, opened), 'platform', ports.api);
  if (roles.gateway && access) await open(await createGateway(platform, executions, access), 'gateway', ports.gateway);
  if (isAlone(roles)) await open(await createHealthServer(platform), 'worker', ports.worker);
  return { platform, identity, runtime: worker?.runtime ?? null, running: () => worker?.running() ?? 0, stop };
}

/** Opens the base of every role: the database, the blobs and the keys that all processes share. Throws Refusal. */
export async function openPlatform(
  configuration: Configuration,
  ports: Pick<Ports, 'api' | 'gateway'>,
  log: Logger,
): Promise<Platform> {
  const { dataDir, databaseUrl } = configuration;
  const newId = createIds(Date.now);
  const blobs = await openBlobs(configuration.blobs, dataDir);
  const seal = createSeal(instanceKey(dataDir, configuration.instanceKey));
  const database = await openDatabase({
    databaseUrl,
    sqliteFile: sqliteFileIn(dataDir),
    connections: configuration.databaseConnections,
  });
  try {
    joinDataFolder(dataDir, await joinInstallation({ database, blobs, seal, now: Date.now }));
    const addresses = addressesOf(configuration, ports);
    const workerId = configuration.roles.worker ? workerIdOf(dataDir, newId) : null;
    const telemetry = await openTelemetry(configuration, log);
    const connections = new ConnectionLimits(configuration.connections, configuration.trustedProxies, Date.now);
    return {
      configuration,
      connections,
      addresses,
      database,
      blobs,
      seal,
      log,
      telemetry,
      now: Date.now,
      newId,
      workerId,
      ...createPolling(database, log),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function runWorkflows(platform: Platform, workflows: WorkflowPort, access: AccessDirectory, opened: Opened): void {
  const engine = new WorkflowEngine(platform, workflows, access);
  opened.push(() => engine.stop());
  engine.start();
}

function watchWorkers(platform: Platform, opened: Opened): void {
  const lost = new LostWorkers(platform, [giveUpExecutions, releaseLostBuilds, giveUpCalls]);
  opened.push(() => lost.stop());
  lost.start();
}

async function openApi(
  platform: Platform,
  identity: IdentityService,
  executions: Executions,
  workflows: Workflows,
  store: GitStore | null,
  opened: Opened,
): Promise<FastifyInstance> {
  opened.push(() => identity.close());
  const accounts = createAccounts(
    platform,
    identity,
    [
      applicationCatalog,
      serviceCatalog,
      providerTokenCatalog,
      organizationCatalog,
      executionCatalog,
      sharingCatalog,
      dataPoolCatalog,
      implementationCatalog,
      storageCatalog,
    ],
    nameProvider,
    (executionId) => serviceOfExecution(platform.database, executionId),
  );
  opened.push(() => accounts.close());
  accounts.start();
  opened.push(forgetOldEntries(platform));
  opened.push(expireResults(platform));
  const dashboard = Dashboard.open(platform);
  opened.push(() => dashboard?.close());
  return createApi(platform, { accounts, identity, executions, workflows, dashboard, store });
}

function followSources(platform: Platform, store: GitStore, opened: Opened): void {
  opened.push(() => store.close());
  const follower = new SourceFollower(platform, store);
  opened.push(() => follower.stop());
  store.keeper.whenKeeper(() => follower.start());
}

/** Imports repositories. A mailer is opened where none is given. */
function importRepositories(platform: Platform, store: GitStore, given: Mailer | null, opened: Opened): void {
  const mailer = given ?? createMailer(platform);
  if (mailer !== given) opened.push(() => mailer.close());
  const importer = new Importer(platform, store, mailer);
  opened.push(() => importer.stop());
  store.keeper.whenKeeper(() => importer.start());
}

/** Opens the server of a process that has the role `git` without the platform interface. */
async function openGit(platform: Platform, store: GitStore, opened: Opened): Promise<FastifyInstance> {
  const identity = await createIdentity(platform);
  opened.push(() => identity.close());
  const accounts = createAccounts(platform, identity, [], () => Promise.resolve());
  opened.push(() => accounts.close());
  return createGitServer(platform, accounts, identity, store);
}

/** A worker alone listens for whoever watches over it, and for nobody else. */
async function createHealthServer({ log, addresses, configuration, connections }: Platform): Promise<FastifyInstance> {
  return createHttpServer({
    log,
    problemsUrl: addresses.problems,
    title: 'Kethub worker',
    description: 'Says whether it works.',
    serverUrl: addresses.api,
    securitySchemes: {},
    trustedProxies: configuration.trustedProxies,
    connections,
    slowestBody: configuration.connections.bytesPerSecond,
    bodyMemoryBytes: configuration.bodyMemoryBytes,
  });
}

function addressesOf(configuration: Configuration, ports: Pick<Ports, 'api' | 'gateway'>): Addresses {
  const origin = configuration.publicUrl ?? `http://localhost:${ports.api}`;
  return {
    api: `${origin}/api`,
    auth: configuration.keycloak?.issuer ?? `${origin}/auth`,
    gateway: configuration.gatewayUrl ?? `http://localhost:${ports.gateway}`,
    git: configuration.gitUrl ?? `${origin}/git`,
    problems: `${origin}/api/problems`,
  };
}
