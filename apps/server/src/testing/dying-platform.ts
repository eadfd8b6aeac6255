import path from 'node:path';
import { pino } from 'pino';
import { createAccounts, security, securitySchemes } from '../people/accounts/index.ts';
import { readConfiguration } from '../foundation/config/index.ts';
import { ConnectionLimits, createIds, mount, platformLimits } from '../foundation/http/index.ts';
import { createEmbeddedIdentity } from '../people/identity/index.ts';
import type { Addresses, Platform } from '../foundation/platform.ts';
import { createSeal, openBlobFolder, openDatabase, type Database } from '../foundation/storage/index.ts';
import { catalogs } from './accounts.ts';
import { noTelemetry } from '../foundation/telemetry/index.ts';
import { createPolling } from '../foundation/workers/index.ts';
import { createTestServer } from './platform.ts';
import { nameProvider } from '../catalog/marketplace/index.ts';

/** The settings of the process, as JSON in its first argument. */
export interface DyingPlatform {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly sqliteFile: string;
  readonly instanceKey: string;
  /** The platform whose sessions are accepted here as well. */
  readonly addresses: Addresses;
  /** The step of a DELETE, counted from 1, at which the process kills itself. */
  readonly dieAt: number;
}

// A second process of a platform, for tests. It serves the account service and kills itself with SIGKILL in the middle
// of a DELETE. It runs the product's code; only its database and its blobs count steps. It prints its address when it
// listens.
const input = JSON.parse(process.argv[2] ?? '') as DyingPlatform;
let steps = Number.NEGATIVE_INFINITY;
function step(): void {
  steps += 1;
  if (steps === input.dieAt) process.kill(process.pid, 'SIGKILL');
}

const opened = await openDatabase(input);
const database: Database = {
  ...opened,
  async write(work) {
    step();
    const value = await opened.write(async (transaction) => {
      const done = await work(transaction);
      step();
      return done;
    });
    step();
    return value;
  },
};
const blobs = openBlobFolder(path.join(input.dataDir, 'blobs'));
const log = pino({ level: 'silent' });
const platform: Platform = {
  configuration: readConfiguration({
    KETHUB_DATA_DIR: input.dataDir,
    KETHUB_DASHBOARD: 'off',
    KETHUB_DEMO: 'off',
    KETHUB_SANDBOX_ROOT: 'machine',
  }),
  addresses: input.addresses,
  database,
  blobs: {
    ...blobs,
    async remove(key) {
      step();
      await blobs.remove(key);
      step();
    },
  },
  seal: createSeal(Buffer.from(input.instanceKey, 'hex')),
  log,
  telemetry: noTelemetry,
  connections: new ConnectionLimits({ ofAddress: 1_000, inAll: 10_000, bytesPerSecond: 0 }, [], Date.now),
  now: Date.now,
  newId: createIds(Date.now),
  workerId: null,
  ...createPolling(database, log),
};
const identity = await createEmbeddedIdentity(platform);
const accounts = createAccounts(platform, identity, catalogs, nameProvider);
const app = await createTestServer(platform, securitySchemes(identity.tokenEndpoint));
app.addHook('onRequest', (request, _reply, done) => {
  if (request.method === 'DELETE') steps = 0;
  done();
});
const limits = platformLimits(platform);
mount(app, accounts.endpoints, { prefix: '/api', admit: accounts.admit, security, limits });
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
