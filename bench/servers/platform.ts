import { databases } from '../../apps/server/src/testing/databases.ts';
import { deploy, startTestKethub, type DeployedService } from '../../apps/server/src/testing/kethub.ts';
import { untilInputEnds } from './until-input-ends.ts';

export interface Question {
  readonly settings: Readonly<Record<string, string>>;
  /** Projects to deploy, by name. */
  readonly services: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface PlatformReady {
  readonly services: Readonly<Record<string, DeployedService>>;
  readonly dataDir: string;
}

// A whole platform on SQLite with services deployed on it.
const { settings, services } = JSON.parse(process.argv[2] ?? '') as Question;
const [sqlite] = databases;
if (!sqlite) throw new Error('SQLite is always there');
const platform = await startTestKethub(sqlite, settings);
const deployed: Record<string, DeployedService> = {};
for (const [name, files] of Object.entries(services)) deployed[name] = await deploy(platform.client, name, files);
const ready: PlatformReady = { services: deployed, dataDir: platform.dataDir };
process.stdout.write(`${JSON.stringify(ready)}\n`);
await untilInputEnds();
await platform.close();
