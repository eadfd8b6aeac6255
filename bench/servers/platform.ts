import { postgreSql, sqlite } from '@kethub/server/testing/databases';
import { deploy, startTestKethub, type DeployedService, type Upload } from '@kethub/server/testing/kethub';
import { untilInputEnds } from './until-input-ends.ts';

export interface Question {
  /** Default SQLite. PostgreSQL is the server in KETHUB_TEST_POSTGRES_URL. */
  readonly database?: 'SQLite' | 'PostgreSQL';
  readonly settings: Readonly<Record<string, string>>;
  /** Projects to deploy, by name. */
  readonly services: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The options of the uploads of all services. */
  readonly upload?: Upload;
}

export interface PlatformReady {
  readonly services: Readonly<Record<string, DeployedService>>;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** {base_url}. */
  readonly api: string;
  readonly loginSession: string;
}

// A whole platform with services deployed on it.
const { database = 'SQLite', settings, services, upload } = JSON.parse(process.argv[2] ?? '') as Question;
const kind = [sqlite, ...postgreSql].find(({ name }) => name === database);
if (!kind) throw new Error(`No ${database}: KETHUB_TEST_POSTGRES_URL is not set`);
const platform = await startTestKethub(kind, { KETHUB_RATE_LIMIT_REQUESTS: '0', ...settings });
const deployed: Record<string, DeployedService> = {};
for (const [name, files] of Object.entries(services))
  deployed[name] = await deploy(platform.client, name, files, upload);
const { configuration, addresses } = platform.kethub.platform;
const ready: PlatformReady = {
  services: deployed,
  dataDir: platform.dataDir,
  databaseUrl: configuration.databaseUrl,
  api: addresses.api,
  loginSession: platform.loginSession,
};
// The last resort of V8: it also returns the pages that it keeps for later. Without --expose-gc the signal ends the process,
// and with it the measurement.
const { gc } = globalThis;
if (gc)
  process.on('SIGUSR2', () => {
    gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  });
process.stdout.write(`${JSON.stringify(ready)}\n`);
await untilInputEnds();
// Pending executions would start while the platform stops.
await platform.platform.database.write((transaction) =>
  transaction.deleteFrom('executions').where('status', '=', 'PENDING').execute(),
);
await platform.close();
