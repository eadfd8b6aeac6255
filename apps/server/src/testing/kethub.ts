import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlatformClient, isBuilt, signInWithPassword, type PlatformClient, serviceForm } from '@kethub/client';
import type { Runtime } from '@kethub/runtime';
import { keepRoots, lendRoots } from '@kethub/runtime/testing/lent-root';
import type { Application, Build, RuntimeConfiguration, Service, Subscription } from '@kethub/contract';
import { readConfiguration, type Configuration } from '../foundation/config/index.ts';
import { sqliteFileIn } from '../foundation/storage/index.ts';
import type { IdentityService } from '../people/identity/index.ts';
import { isWhole, startKethub, type WholeKethub } from '../kethub.ts';
import type { Platform } from '../foundation/platform.ts';
import type { TestDatabaseKind } from './databases.ts';
import { freePort } from '../../../../script/free-port.ts';
import { checkLog, testLog } from './log.ts';
import { zip } from './zip.ts';

/** A platform with a real runtime and real ports, and a person who is signed in. */
export interface TestInstallation {
  readonly platform: Platform;
  readonly client: PlatformClient;
  /** The session of `client`, for requests that it cannot make. */
  readonly loginSession: string;
  /** Another approved person. */
  signIn(username: string): Promise<SignedIn>;
  /** Maps an address of the gateway to one of its processes, in turn. */
  at(address: string): string;
  /** Counts the executions of which the runner keeps a folder. */
  keptByRunner(): number;
  /** Stops the platform and removes its data. */
  close(): Promise<void>;
}

export interface SignedIn {
  readonly client: PlatformClient;
  readonly loginSession: string;
}

/** An installation with all roles in this process. */
export interface TestKethub extends TestInstallation {
  readonly kethub: WholeKethub;
  readonly dataDir: string;
  /** Value of DATABASE_URL; null for SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** Stops the platform. The data stay, so that another process can continue with them. */
  stop(): Promise<void>;
  /** Restarts the platform on the same data. */
  restart(): Promise<void>;
}

/** Settings for executions that mostly wait: more resources than the machine of the tests has. */
export const roomy = { KETHUB_WORKER_CPUS: '64', KETHUB_WORKER_MEMORY_MB: '262144' };

const PASSWORD = 'correct horse battery staple';

/** Starts a platform on an empty database of this kind. */
export async function startTestKethub(
  kind: TestDatabaseKind,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestKethub> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'kethub-data-'));
  lendRoots(dataDir);
  const { databaseUrl, drop } = await kind.copy(sqliteFileIn(dataDir));
  const given = {
    KETHUB_DATA_DIR: dataDir,
    KETHUB_PORT: String(await freePort()),
    KETHUB_GATEWAY_PORT: String(await freePort()),
    KETHUB_DASHBOARD: 'off',
    KETHUB_DEMO: 'off',
    ...roomy,
    KETHUB_SANDBOX_ROOT: 'machine',
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    ...settings,
  };
  const configuration = readConfiguration(given);
  let kethub = await startWhole(configuration);
  let stopped = false;
  const signIn = (username: string) => signInTo(kethub.platform, kethub.identity, username);
  const first = await signIn('ada');
  return {
    get kethub() {
      return kethub;
    },
    get platform() {
      return kethub.platform;
    },
    dataDir,
    databaseUrl,
    ...first,
    signIn,
    at: (address) => address,
    keptByRunner: () => keptByRunner(dataDir),
    async stop() {
      await kethub.stop();
      stopped = true;
    },
    async restart() {
      // The same ports, so that addresses stay valid. Files of the settings are read again.
      const port = new URL(kethub.platform.addresses.api).port;
      const gatewayPort = new URL(kethub.platform.addresses.gateway).port;
      await kethub.stop();
      const again = readConfiguration(given);
      kethub = await startWhole({ ...again, port: Number(port), gatewayPort: Number(gatewayPort) });
    },
    async close() {
      // A platform that continued with this data may have left a runner.
      if (stopped) kethub = await startWhole(configuration);
      await endRunner(kethub.runtime, dataDir, () => kethub.stop());
      keepRoots(dataDir);
      await rm(dataDir, { recursive: true });
      await drop();
    },
  };
}

async function startWhole(configuration: Configuration): Promise<WholeKethub> {
  const kethub = await startKethub(configuration, testLog);
  if (!isWhole(kethub)) throw new Error('A role is missing');
  return kethub;
}

/** Makes an approved person and signs them in. */
export async function signInTo(platform: Platform, identity: IdentityService, username: string): Promise<SignedIn> {
  const person = { username, email: `${username}@example.org`, firstname: username, lastname: 'Test' };
  await identity.createUser({ ...person, password: PASSWORD, status: 'APPROVED' });
  const { auth, api } = platform.addresses;
  const loginSession = await signInWithPassword({ authUrl: auth, username, password: PASSWORD });
  return { client: createPlatformClient({ baseUrl: api, credential: { loginSession } }), loginSession };
}

export function keptByRunner(dataDir: string): number {
  return readdirSync(path.join(dataDir, 'runtime/executions')).length;
}

/** Cancels running executions, closes the runtime, and waits for the end of the runner. */
export async function endRunner(runtime: Runtime, dataDir: string, close: () => Promise<void>): Promise<void> {
  const { runnerPid, running } = await runtime.status();
  for (const { executionId } of running) await runtime.cancel(executionId);
  await until(async () => (await runtime.status()).running.length === 0);
  await close();
  await until(() => Promise.resolve(!isAlive(runnerPid)));
  checkLog(readFileSync(path.join(dataDir, 'runtime/runner.log'), 'utf8'));
}

/** Polls every 10 ms, for at most 20 s. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    if (await isSo()) return;
    await pause(10);
  }
  throw new Error('Waited 20 s in vain');
}

/** Returns whether a process is alive. A zombie counts as dead. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
}

export interface DeployedService {
  readonly service: Service;
  readonly application: Application;
  readonly subscription: Subscription;
  /** {service_endpoint} without the slash at its end. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export type Files = Readonly<Record<string, string | Buffer>>;

/** Options of an upload beside its files. The upload is a Python project unless the configuration says otherwise. */
export interface Upload {
  readonly configuration?: Partial<RuntimeConfiguration>;
  /** Executable files. */
  readonly programs?: readonly string[];
}

/** Uploads a project and waits for the end of its build. */
export async function build(
  client: PlatformClient,
  name: string,
  files: Files,
  { configuration, programs = [] }: Upload = {},
): Promise<{ service: Service; build: Build }> {
  const service = await client.createService({
    body: serviceForm({ name, configuration, source: await zip(files, programs) }),
  });
  for await (const one of client.watchBuild({ serviceId: service.id, version: '1.0.0' }))
    if (isBuilt(one)) return { service, build: one };
  throw new Error('The build was watched to its end without having one');
}

/** Deploys a project as an internal service, with an application of its own subscribed to it. */
export async function deploy(
  client: PlatformClient,
  name: string,
  files: Files,
  upload?: Upload,
): Promise<DeployedService> {
  const { service, build: ended } = await build(client, name, files, upload);
  if (ended.problem) throw new Error(`${ended.problem.title}: ${ended.problem.detail}`);
  return publishFor(client, name, service);
}

/** Publishes the first version of a service internally, with an application of its own subscribed to it. */
export async function publishFor(client: PlatformClient, name: string, service: Service): Promise<DeployedService> {
  await client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
  const application = await client.createApplication({ json: { name: `${name} caller` } });
  const subscription = await client.subscribe({ applicationId: application.id, json: { serviceId: service.id } });
  const [key] = application.accessKeys;
  if (!key) throw new Error('An application without an access key');
  return {
    service,
    application,
    subscription,
    endpoint: subscription.endpoint.replace(/\/$/, ''),
    accessKeyId: key.accessKeyId,
    secretAccessKey: (await client.revealSecretAccessKey({ applicationId: application.id, keyId: key.id }))
      .secretAccessKey,
  };
}
