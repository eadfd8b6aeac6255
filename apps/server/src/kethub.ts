import path from 'node:path';
import { checkSandbox, connectRuntime, type Runtime } from '@kethub/runtime';
import { createBuilder } from '@kethub/runtime/build';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAccounts } from './accounts/index.ts';
import { createApi } from './api/index.ts';
import { applicationCatalog } from './applications/index.ts';
import { Refusal, type Configuration } from './config/index.ts';
import { dataPoolCatalog } from './datapools/index.ts';
import { executionCatalog, Executions, ExecutionWorker } from './executions/index.ts';
import { createGateway } from './gateway/index.ts';
import { createIds } from './http/index.ts';
import { createIdentity, type IdentityService } from './identity/index.ts';
import { organizationCatalog } from './organizations/index.ts';
import type { Addresses, Platform } from './platform.ts';
import { takeDataFolder, usablePort } from './process/index.ts';
import { BuildWorker, createRunnables, serviceCatalog } from './services/index.ts';
import { sharingCatalog } from './sharing/index.ts';
import { createSeal, instanceKey, openBlobFolder, openDatabase } from './storage/index.ts';

/** A running platform: every role in this process. */
export interface Kethub {
  readonly platform: Platform;
  readonly identity: IdentityService;
  readonly runtime: Runtime;
  /** Number of executions that run now. */
  running(): number;
  /** Answers what was asked, accepts no more, and closes. User code that runs goes on and is collected at the next start. */
  stop(): Promise<void>;
}

/** Starts the platform. Throws Refusal when it cannot start as it is set up; then nothing stays open. */
export async function startKethub(configuration: Configuration, log: Logger): Promise<Kethub> {
  // What has been opened, closed in the opposite order: also when the start fails half way.
  const opened: (() => Promise<unknown> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (let close = opened.pop(); close; close = opened.pop()) await close();
  };
  try {
    return await start(configuration, log, opened, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  configuration: Configuration,
  log: Logger,
  opened: (() => Promise<unknown> | void)[],
  stop: () => Promise<void>,
): Promise<Kethub> {
  const { host, dataDir, databaseUrl } = configuration;
  const newId = createIds(Date.now);
  const folder = takeDataFolder(dataDir, newId);
  opened.push(() => folder.release());
  const port = await usablePort(host, configuration.port, 'KETHUB_PORT');
  const gatewayPort = await usablePort(host, configuration.gatewayPort, 'KETHUB_GATEWAY_PORT');
  await requireSandbox();

  const database = await openDatabase({ databaseUrl, sqliteFile: path.join(dataDir, 'kethub.db') });
  opened.push(() => database.close());
  const platform: Platform = {
    configuration,
    addresses: addressesOf(configuration, port, gatewayPort),
    database,
    blobs: openBlobFolder(path.join(dataDir, 'blobs')),
    seal: createSeal(instanceKey(dataDir, configuration.instanceKey)),
    log,
    now: Date.now,
    newId,
  };

  const runtime = await connectRuntime({
    dataDir,
    warmBytes: configuration.warmMemoryMb * 1024 * 1024,
    onConnection: (state, detail) => log[state === 'LOST' ? 'warn' : 'info']({ detail }, `runner ${state}`),
  });
  opened.push(() => runtime.close());
  const builder = createBuilder({ dataDir, runtime });
  const builds = new BuildWorker(platform, builder);
  const worker = new ExecutionWorker(platform, runtime, createRunnables(platform, builder), folder.workerId);
  opened.push(() => Promise.all([builds.stop(), worker.stop()]));
  await worker.start();
  builds.start();

  const identity = await createIdentity(platform);
  opened.push(() => identity.close());
  const accounts = createAccounts(platform, identity, [
    applicationCatalog,
    serviceCatalog,
    organizationCatalog,
    executionCatalog,
    sharingCatalog,
    dataPoolCatalog,
  ]);
  opened.push(() => accounts.close());
  accounts.start();
  const executions = new Executions(platform, runtime);
  opened.push(() => executions.close());
  await listen(await createApi(platform, accounts, identity, executions), host, port, opened);
  await listen(await createGateway(platform, executions), host, gatewayPort, opened);
  return { platform, identity, runtime, running: () => worker.running, stop };
}

/** User code runs in a sandbox or not at all. */
async function requireSandbox(): Promise<void> {
  const check = await checkSandbox();
  if (!check.usable)
    throw new Refusal(`User code cannot be run safely on this machine: ${check.reason} ${check.remedy}`);
}

async function listen(
  app: FastifyInstance,
  host: string,
  port: number,
  opened: (() => Promise<unknown> | void)[],
): Promise<void> {
  opened.push(() => app.close());
  await app.listen({ host, port });
}

function addressesOf(configuration: Configuration, port: number, gatewayPort: number): Addresses {
  const origin = configuration.publicUrl ?? `http://localhost:${port}`;
  return {
    api: `${origin}/api`,
    auth: configuration.keycloak?.issuer ?? `${origin}/auth`,
    gateway: configuration.gatewayUrl ?? `http://localhost:${gatewayPort}`,
    problems: `${origin}/api/problems`,
  };
}
