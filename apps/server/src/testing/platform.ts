import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import { readConfiguration } from '../foundation/config/index.ts';
import { ConnectionLimits, createHttpServer, createIds } from '../foundation/http/index.ts';
import type { Platform } from '../foundation/platform.ts';
import { acceptUploads } from '../catalog/services/index.ts';
import { createSeal, openBlobFolder } from '../foundation/storage/index.ts';
import { noTelemetry } from '../foundation/telemetry/index.ts';
import { createPolling } from '../foundation/workers/index.ts';
import { checkAnswers } from './check-answers.ts';
import type { TestDatabase, TestDatabaseKind } from './databases.ts';
import { freePort } from '../../../../script/free-port.ts';
import { testLog } from './log.ts';

export { freePort };

const INSTANCE_KEY = '11'.repeat(32);

export interface TestPlatformOptions {
  /** Epoch milliseconds; the real clock when left out. */
  readonly now?: () => number;
  /** Log; that of the test run when left out. */
  readonly log?: Logger;
  /** Settings beyond those of every test. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface TestPlatform extends Platform {
  readonly testDatabase: TestDatabase;
  /** The address on which the platform interface must listen for its own addresses to be valid. */
  readonly port: number;
  /** Closes the database and removes everything. Close the servers before. */
  close(): Promise<void>;
}

/** Creates a platform on a fresh database with its own data folder. Nothing listens yet. */
export async function createTestPlatform(
  open: TestDatabaseKind['open'],
  options: TestPlatformOptions = {},
): Promise<TestPlatform> {
  const now = options.now ?? Date.now;
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'kethub-data-'));
  const testDatabase = await open();
  const port = await freePort();
  const gatewayPort = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  return {
    configuration: readConfiguration({
      KETHUB_DATA_DIR: dataDir,
      KETHUB_PORT: String(port),
      KETHUB_GATEWAY_PORT: String(gatewayPort),
      KETHUB_PUBLIC_URL: origin,
      KETHUB_INSTANCE_KEY: INSTANCE_KEY,
      KETHUB_DASHBOARD: 'off',
      KETHUB_DEMO: 'off',
      KETHUB_SANDBOX_ROOT: 'machine',
      ...options.settings,
    }),
    addresses: {
      api: `${origin}/api`,
      auth: `${origin}/auth`,
      gateway: `http://127.0.0.1:${gatewayPort}`,
      git: 'http://localhost:8080/git',
      problems: `${origin}/api/problems`,
    },
    database: testDatabase.database,
    blobs: openBlobFolder(path.join(dataDir, 'blobs')),
    seal: createSeal(Buffer.from(INSTANCE_KEY, 'hex')),
    log: options.log ?? testLog,
    telemetry: noTelemetry,
    connections: new ConnectionLimits({ ofAddress: 1_000, inAll: 10_000, bytesPerSecond: 0 }, [], now),
    now,
    newId: createIds(now),
    workerId: null,
    ...createPolling(testDatabase.database, options.log ?? testLog),
    testDatabase,
    port,
    async close() {
      await testDatabase.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** Creates a server of the platform interface without endpoints. Closing it fails if an answer was not as described. */
export async function createTestServer(platform: Platform, securitySchemes: Record<string, object> = {}) {
  const app = await createHttpServer({
    log: platform.log,
    problemsUrl: platform.addresses.problems,
    title: 'Test',
    description: 'Test',
    serverUrl: platform.addresses.api,
    securitySchemes,
    connections: platform.connections,
    slowestBody: platform.configuration.connections.bytesPerSecond,
    bodyMemoryBytes: platform.configuration.bodyMemoryBytes,
    trustedProxies: platform.configuration.trustedProxies,
  });
  checkAnswers(app);
  await acceptUploads(app);
  return app;
}
