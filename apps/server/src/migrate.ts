import { mkdirSync } from 'node:fs';
import { readConfiguration, Refusal } from './foundation/config/index.ts';
import { openDatabase, sqliteFileIn } from './foundation/storage/index.ts';

// Brings the database up to date and ends, with the settings of the platform in the environment. Processes of the version
// before may run meanwhile.
try {
  const { databaseUrl, dataDir } = readConfiguration(process.env);
  if (databaseUrl === null) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const database = await openDatabase({ databaseUrl, sqliteFile: sqliteFileIn(dataDir) });
  await database.close();
  process.stdout.write('kethub: the database is up to date\n');
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`kethub: ${error.message}\n`);
  process.exitCode = 1;
}
