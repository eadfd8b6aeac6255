import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import type { PlatformClient } from '@kethub/client';
import type { TestDatabaseKind } from '@kethub/server/testing/databases';
import { callerOf, type Caller } from '@kethub/server/testing/gateway';
import { deploy, roomy, startTestKethub } from '@kethub/server/testing/kethub';
import { startContainerEngine } from '../../script/container-engine.ts';
import { freePort } from '../../script/free-port.ts';
import { startPostgres, type Postgres } from '../../script/postgres.ts';
import { buildS3, startS3Server, type S3Server } from '../../script/s3.ts';
import { deployWorkflow } from '@kethub/server/testing/workflows';
import { openFaultyCluster, type FaultyCluster } from './clusters.ts';
import { openContainers, settingsOf, type Containers } from './containers.ts';
import { errandWorkflow } from './errands.ts';
import { countOpens, type RunCounter } from './opens.ts';
import { Platform } from './platform.ts';
import { reportingWitness, witness } from './service.ts';

/** A platform in processes of its own, with all its dependencies, each of which can be taken away. */
export interface Installation {
  readonly dataDir: string;
  readonly app: Caller;
  /** Calls a workflow whose tasks call the same service. */
  readonly errands: Caller;
  readonly platform: Platform;
  /** A person who is signed in at the platform interface. */
  readonly client: PlatformClient;
  /** Null on SQLite. */
  readonly postgres: Postgres | null;
  /** The folder to fill so that the disk of the data folder is full. Null if that is the disk of the machine. */
  readonly smallDisk: string | null;
  /** Null without a container engine. */
  readonly containers: Containers | null;
  /** Null where sandboxes run all executions. */
  readonly cluster: FaultyCluster | null;
  /** Null where files are in the data folder. */
  readonly s3: S3Server | null;
  /** Begins to count how often the code of each execution runs, by facts that the platform does not make. */
  countRuns(): Promise<RunCounter>;
  /** Milliseconds for which processes are suspended at most. */
  readonly stillMs: number;
  /** Stops everything, and removes it. */
  close(): Promise<void>;
}

export interface InstallationOptions {
  readonly database: 'sqlite' | 'postgres';
  /** A process for each role, which needs PostgreSQL; default one process that has all. */
  readonly apart?: boolean;
  /** Size in MB. Set: the data folder is on a disk of its own, which needs root. */
  readonly diskMb: number | null;
  /** With a container engine, which needs root. */
  readonly withEngine?: boolean;
  /** The cluster that runs executions, which needs root; none for sandboxes. */
  readonly cluster?: FaultyCluster['name'] | null;
  /** Pods of Kubernetes that wait for executions of the service; default none. */
  readonly warmPods?: number;
  /** With files in an S3. */
  readonly withS3?: boolean;
  /** Milliseconds for which processes are suspended at most. */
  readonly stillMs?: number;
}

const CONCURRENT = '12';

export async function openInstallation({
  database,
  apart = false,
  diskMb,
  withEngine = false,
  cluster: ofCluster = null,
  warmPods = 0,
  withS3 = false,
  stillMs = 5_000,
}: InstallationOptions): Promise<Installation> {
  const disk = diskMb === null ? null : mountDisk(diskMb);
  const before = process.env['TMPDIR'];
  const postgres = database === 'postgres' ? await startPostgres({ durable: false }) : null;
  if (disk !== null) process.env['TMPDIR'] = disk;
  const engine = withEngine ? await startContainerEngine() : null;
  const s3 = withS3 ? await startS3Server(buildS3(() => undefined)) : null;
  const cluster = ofCluster === null ? null : await openFaultyCluster(ofCluster, warmPods);
  const settings = {
    ...settingsOf(engine),
    ...s3?.settings,
    ...cluster?.settings,
    KETHUB_MAX_CONCURRENT_EXECUTIONS: CONCURRENT,
    KETHUB_WARM_MEMORY_MB: '32',
  };
  const kethub = await startTestKethub(kindOf(postgres), settings);
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  const witnessed =
    cluster === null
      ? await deploy(kethub.client, 'Witness', witness)
      : await deploy(kethub.client, 'Witness', reportingWitness, {
          configuration: {
            cpus: 0.25,
            memoryGb: 0.125,
            ...(warmPods > 0 && { warmPods }),
            hosts: [cluster.reportsTo],
            environment: { REPORTS_TO: cluster.reportsTo },
          },
        });
  const app = await callerOf(witnessed);
  const workflow = errandWorkflow(witnessed.service);
  const errands = await callerOf(await deployWorkflow(kethub.client, 'Errand', workflow, [witnessed.service]));
  const containers = engine && (await openContainers(engine, kethub));
  const { api, gateway } = kethub.kethub.platform.addresses;
  const [apiPort, gatewayPort, workerPort] = [portOf(api), portOf(gateway), await freePort()];
  const { dataDir } = kethub;
  await kethub.stop();
  // Processes of one machine may share the data folder, and with it the files and the key.
  const platform = new Platform(
    {
      ...settings,
      ...roomy,
      KETHUB_DATA_DIR: dataDir,
      KETHUB_PORT: String(apiPort),
      KETHUB_GATEWAY_PORT: String(gatewayPort),
      KETHUB_WORKER_PORT: String(workerPort),
      KETHUB_PUBLIC_URL: new URL(api).origin,
      KETHUB_GATEWAY_URL: gateway,
      KETHUB_DEMO: 'off',
      KETHUB_LOG_LEVEL: 'warn',
      ...(postgres && { DATABASE_URL: postgres.url }),
    },
    apart ? { api: apiPort, gateway: gatewayPort, worker: workerPort } : { platform: apiPort },
  );
  await platform.ready();
  return {
    dataDir,
    app,
    errands,
    platform,
    client: kethub.client,
    postgres,
    smallDisk: disk,
    stillMs,
    containers,
    cluster,
    s3,
    countRuns: () =>
      cluster === null
        ? countOpens(path.join(onlyFolderIn(path.join(dataDir, 'runtime', 'sources')), 'marks'))
        : Promise.resolve({ stop: () => Promise.resolve(cluster.runs()) }),
    async close() {
      await platform.end();
      await kethub.close();
      await containers?.close();
      await cluster?.close();
      await s3?.close();
      await postgres?.stop();
      if (disk !== null) unmountDisk(disk);
    },
  };
}

function portOf(address: string): number {
  return Number(new URL(address).port);
}

/** A database of its own on a server that can be killed. */
function kindOf(postgres: Postgres | null): TestDatabaseKind {
  const nothing = () => Promise.resolve();
  const open = () => Promise.reject(new Error('Opened by the platform'));
  const create = () => Promise.resolve({ databaseUrl: postgres?.url ?? null, drop: nothing });
  return { name: postgres ? 'PostgreSQL' : 'SQLite', create, copy: create, open };
}

function mountDisk(megabytes: number): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'kethub-faults', folder], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) throw new Error(`A small disk needs root: ${mounted.stderr}`);
  const inside = path.join(folder, 'tmp');
  mkdirSync(inside, { mode: 0o755 });
  return inside;
}

function unmountDisk(inside: string): void {
  const folder = path.dirname(inside);
  spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true });
}

function onlyFolderIn(folder: string): string {
  const [only, ...more] = readdirSync(folder).filter((name) => !name.startsWith('.'));
  if (only === undefined || more.length > 0) throw new Error(`Expected one folder in ${folder}`);
  return path.join(folder, only);
}
