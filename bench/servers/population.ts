import { sql } from 'kysely';
import { nameProvider } from '@kethub/server/catalog/marketplace';
import { upsertUser } from '@kethub/server/people/accounts';
import { openDatabase, type Database } from '@kethub/server/foundation/storage';
import { populate, usersOf, type Population } from '../lib/population.ts';
import { untilInputEnds } from './until-input-ends.ts';

export interface PopulationQuestion extends Population {
  readonly databaseUrl: string | null;
  readonly sqliteFile: string;
}

export interface PopulationReady {
  readonly ids: readonly string[];
  readonly tokens: readonly string[];
  readonly seconds: number;
  /** Size of the tables and indexes that only the search uses. */
  readonly searchMegabytes: number;
  /** Milliseconds of transactions that each write a new user to disk, one after the other. */
  readonly newUserMs: readonly number[];
}

const SHOWN_IDS = 10_000;
const NEW_USERS = 300;

// Fills the database of a running platform, and measures the cost of adding more users.
const question = JSON.parse(process.argv[2] ?? '') as PopulationQuestion;
const database = await openDatabase(question);
const began = performance.now();
const { ids, tokens } = await populate(database, question);
if (database.dialect === 'postgres') await sql`vacuum analyze`.execute(database.read);
const seconds = (performance.now() - began) / 1000;
const searchMegabytes = (await searchBytes(database)) / 1e6;
const newUserMs: number[] = [];
for (const user of usersOf(question.users + NEW_USERS, question.users)) {
  const start = performance.now();
  await database.write((transaction) => upsertUser(transaction, user, nameProvider));
  newUserMs.push(performance.now() - start);
}
await database.close();
const step = Math.max(1, Math.floor(ids.length / SHOWN_IDS));
const ready: PopulationReady = {
  ids: ids.filter((_id, index) => index % step === 0),
  tokens,
  seconds,
  searchMegabytes,
  newUserMs,
};
process.stdout.write(`${JSON.stringify(ready)}\n`);
await untilInputEnds();

async function searchBytes({ read, dialect }: Database): Promise<number> {
  const query =
    dialect === 'sqlite'
      ? sql<{ bytes: number }>`select sum(pgsize) as bytes from dbstat where name like '%user_search%'`
      : sql<{ bytes: number }>`
          select sum(pg_total_relation_size(oid)) as bytes from pg_class
          where relname in ('user_search', 'user_search_blocks', 'user_search_grams')`;
  return Number((await query.execute(read)).rows[0]?.bytes);
}
