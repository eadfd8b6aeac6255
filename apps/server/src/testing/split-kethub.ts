import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { connectRuntime } from '@kethub/runtime';
import { readConfiguration } from '../foundation/config/index.ts';
import { KethubProcess, type Settings } from './child-process.ts';
import type { TestDatabaseKind } from './databases.ts';
import { endRunner, keptByRunner, roomy, type TestInstallation } from './kethub.ts';
import { openTestPlatform } from './opened-platform.ts';
import { freePort } from './platform.ts';

/** A platform whose roles are separate processes, each with its own data folder, as on separate machines. */
export interface SplitKethub extends TestInstallation {
  readonly api: KethubProcess;
  readonly gateways: readonly [KethubProcess, KethubProcess];
  readonly worker: KethubProcess;
  /** Settings that all of them share. */
  readonly settings: Settings;
}

const INSTANCE_KEY = '22'.repeat(32);

/** Starts an api, two gateways and a worker on an empty PostgreSQL. */
export async function startSplitKethub(kind: TestDatabaseKind, settings: Settings = {}): Promise<SplitKethub> {
  const { databaseUrl, drop } = await kind.copy('');
  if (databaseUrl === null) throw new Error('Several processes need a PostgreSQL');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-split-'));
  const [apiPort, workerPort] = [Number(settings['KETHUB_PORT'] ?? (await freePort())), await freePort()];
  const gatewayPorts = [await freePort(), await freePort()] as const;
  const origins = gatewayPorts.map((port) => `http://127.0.0.1:${port}`);
  const shared: Settings = {
    DATABASE_URL: databaseUrl,
    KETHUB_BLOBS: path.join(folder, 'blobs'),
    KETHUB_INSTANCE_KEY: INSTANCE_KEY,
    KETHUB_PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
    KETHUB_GATEWAY_URL: `http://127.0.0.1:${gatewayPorts[0]}`,
    KETHUB_LOG_LEVEL: 'debug',
    ...roomy,
    ...settings,
  };
  const start = (name: string, roles: string, port: Settings): KethubProcess =>
    new KethubProcess(
      { ...shared, ...port, KETHUB_ROLES: roles, KETHUB_DATA_DIR: path.join(folder, name) },
      Number(Object.values(port)[0]),
    );
  const api = start('api', 'api', { KETHUB_PORT: String(apiPort) });
  const gateways = [
    start('gateway-1', 'gateway', { KETHUB_GATEWAY_PORT: String(gatewayPorts[0]) }),
    start('gateway-2', 'gateway', { KETHUB_GATEWAY_PORT: String(gatewayPorts[1]) }),
  ] as const;
  const worker = start('worker', 'worker', { KETHUB_WORKER_PORT: String(workerPort) });
  const processes = [api, ...gateways, worker];
  await Promise.all(processes.map((one) => one.ready()));

  // The platform that a test inspects: the same database, blobs and keys, without any role.
  const configuration = readConfiguration({ ...shared, KETHUB_ROLES: 'gateway', KETHUB_DATA_DIR: folder });
  const { platform, signIn, close } = await openTestPlatform(configuration);
  let turn = 0;
  return {
    platform,
    api,
    gateways,
    worker,
    settings: shared,
    ...(await signIn('ada')),
    signIn,
    at: (address) => address.replace(platform.addresses.gateway, origins[turn++ % origins.length] ?? ''),
    keptByRunner: () => keptByRunner(path.join(folder, 'worker')),
    async close() {
      await Promise.all(processes.map((one) => one.end()));
      await close();
      const dataDir = path.join(folder, 'worker');
      const runtime = await connectRuntime({ dataDir, idleExitMs: 100 });
      await endRunner(runtime, dataDir, () => runtime.close());
      await rm(folder, { recursive: true });
      await drop();
    },
  };
}
