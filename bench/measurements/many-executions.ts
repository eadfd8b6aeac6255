import { Client } from 'pg';
import { openDatabase } from '@kethub/server/foundation/storage';
import { startPostgres } from '../../script/postgres.ts';
import { fillExecutions, fillSettings, FIRST_STATUS } from '../lib/many-executions.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';
import type { ManyAnswer, ManyQuestion } from '../servers/many-executions.ts';

const FEW = 20_000;
const MANY = Number(process.env['EXECUTIONS'] ?? 20_000_000);
const ROUNDS = 300;

/** Requests and the moves of executions, with 20 million in the tables against 20 thousand. They take 32 GB of disk. */
export async function manyExecutions(): Promise<Measurement[]> {
  const settings = { shared_buffers: '1GB', ...fillSettings };
  const postgres = await startPostgres({ durable: true, settings });
  try {
    const [few, many] = [await filled(postgres.url, FEW), await filled(postgres.url, MANY)];
    const question: ManyQuestion = { few, many, rounds: ROUNDS };
    const server = await startServer<ManyAnswer>('servers/many-executions.ts', question, '0,1');
    const answer = server.ready;
    await server.stop();
    const how = `up to ${ROUNDS} calls in turns of the functions behind the interface, without HTTP; 1,000 owners, of whom the largest has 10 %; PostgreSQL with 1 GB of shared buffers and full synchronization`;
    return Object.entries(answer).map(([name, rounds]) => ({
      name: `${name}, ${MANY.toLocaleString('en')} executions against ${FEW.toLocaleString('en')}`,
      unit: '×',
      value: median(rounds.many) / median(rounds.few),
      goal: name === FIRST_STATUS ? null : { atMost: 1.2 },
      how,
      rounds,
    }));
  } finally {
    await postgres.stop();
  }
}

/** Creates and fills a database; returns its address. */
async function filled(server: string, count: number): Promise<string> {
  const name = `kethub_${count}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const databaseUrl = server.replace(/postgres$/, name);
  const database = await openDatabase({ databaseUrl, sqliteFile: '' });
  await fillExecutions(database, databaseUrl, count);
  await database.close();
  return databaseUrl;
}
