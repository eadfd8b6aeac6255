import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import { findOffered } from '@kethub/server/catalog/marketplace';
import { readMonthlyUsage } from '@kethub/server/catalog/metering';
import { openDatabase, type Database } from '@kethub/server/foundation/storage';
import { indexListings } from '@kethub/server/catalog/marketplace';
import type { Platform } from '@kethub/server';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const LISTINGS = 100_000;
const RECORDS = 1_000_000;
const SUBSCRIPTIONS = 1_000;
const ROUNDS = 5;
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz09%ß王');
const MONTH = '2026-03';
const WORDS = 'solver annealing circuit portfolio routing molecule simulation optimisation of for the with noise'.split(
  ' ',
);

/** Requests that keep a process on SQLite busy: a search for one or two characters, and a month of usage. */
export async function catalog(): Promise<Measurement[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-bench-'));
  const database = await openDatabase({ databaseUrl: null, sqliteFile: path.join(folder, 'kethub.db') });
  try {
    await fill(database);
    return [...(await searches(database)), ...(await months(database))];
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
}

async function searches(database: Database): Promise<Measurement[]> {
  const texts = LETTERS.flatMap((one) => [one, ...LETTERS.map((other) => one + other)]);
  const took = new Map<string, number>();
  for (const text of texts)
    took.set(text, await timed(() => findOffered(database, { text, category: null }, null, 20)));
  const worst = [...took].toSorted(([, a], [, b]) => b - a).slice(0, 20);
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [text] of worst)
      rounds.push(await timed(() => findOffered(database, { text, category: null }, null, 20)));
  const how = `SQLite, ${LISTINGS} listings, each of ${texts.length} texts; the 20 slowest ${ROUNDS} times more`;
  const row = (name: string, value: number, goal: number): Measurement => ({ name, unit: 'ms', value, goal: { atMost: goal }, how, rounds: {} }); // prettier-ignore
  return [
    row('Search of one or two characters, median', median([...took.values()]), 5),
    row('Search of one or two characters, slowest', Math.max(...rounds), 50),
  ];
}

async function months(database: Database): Promise<Measurement[]> {
  const took: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [side, id] of [
      ['provider', 'lab'],
      ['consumer', 'ada'],
    ] as const)
      // prettier-ignore
      took.push(
        await timed(() =>
          readMonthlyUsage({ database } as Partial<Platform> as Platform, side, { type: 'USER', id, role: 'OWNER', personId: id }, MONTH), // prettier-ignore
        ),
      );
  delay.disable();
  const how = `SQLite, ${RECORDS} records of ${SUBSCRIPTIONS} subscriptions in one month, of the provider and of the consumer of all of them in turns, ${ROUNDS} times`;
  const row = (name: string, value: number, goal: number): Measurement => ({ name, unit: 'ms', value, goal: { atMost: goal }, how, rounds: {} }); // prettier-ignore
  return [
    row('A month of usage', median(took), 100),
    row('A month of usage, longest pause of the process', delay.max / 1e6, 50),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Writes the rows that the platform itself would have written, without building 100,000 services. */
async function fill(database: Database): Promise<void> {
  await database.write(async (transaction) => {
    await sql`create temporary table places (at integer primary key)`.execute(transaction);
    await sql`insert into places with recursive n(at) as (values (1) union all select at + 1 from n where at < ${RECORDS})
      select at from n`.execute(transaction);
    const few = sql`from places where at <= ${LISTINGS}`;
    await sql`insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
      select printf('s%08d', at), 'USER', 'u', 'S', 's' || at, 'MANAGED', '', 1, 1 ${few}`.execute(transaction);
    await sql`insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob,
        source_bytes, source_digest, build_id, created_at, published_at, revision)
      select printf('v%08d', at), printf('s%08d', at), '1.0.0', 'PUBLISHED', 'INTERNAL', '{}', 'b', 1, 'd', 'x', 1, 1, 1
      ${few}`.execute(transaction);
    for (let from = 1; from <= LISTINGS; from += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_none, index) => listingOf(from + index));
      const written = await transaction
        .insertInto('listings')
        .values(rows)
        .returning(['number', 'search_text', 'provider_text'])
        .execute();
      await indexListings(transaction, written);
    }
    const plan = JSON.stringify({
      id: 'p', name: 'Runs', type: 'COMMERCIAL',
      products: [{ id: 'runs', name: 'Run', unit: 'run', unitPrice: '0.01', currency: 'EUR', metering: 'EXECUTION' }],
    }); // prettier-ignore
    await sql`insert into accepted_plans (subscription_id, application_id, service_id, service_version_id, service_name,
        version, type, pricing_plan, consumer_type, consumer_id, provider_type, provider_id, accepted_at)
      select 'p' || at, 'a', 's', 'v', 'S', '1.0.0', 'COMMERCIAL', ${plan}, 'USER', 'ada', 'USER', 'lab', 1
      from places where at <= ${SUBSCRIPTIONS}`.execute(transaction);
    await sql`insert into usage_records (id, subscription_id, application_id, service_id, service_version_id, product,
        amount, unit_price, currency, test, consumer_type, consumer_id, provider_type, provider_id, occurred_at, created_at)
      select 'u' || at, 'p' || (at % ${SUBSCRIPTIONS} + 1), 'a', 's', 'v', 'runs', 1000000, '0.01', 'EUR', 0, 'USER', 'ada',
        'USER', 'lab', ${Date.parse(`${MONTH}-01T00:00:00Z`)} + at * 2, 1 from places`.execute(transaction);
  });
}

/** Two letters that only the oldest listings contain, and two that none contains. */
function listingOf(at: number) {
  const word = (salt: number): string => WORDS[(at * 31 + salt * 17 + ((at * salt) % 7)) % WORDS.length] ?? '';
  const old = at < 500 ? ' qz' : '';
  const text = `${Array.from({ length: 40 }, (_none, salt) => word(salt)).join(' ')}${old}`;
  const id = String(at).padStart(8, '0');
  return {
    id: `l${id}`,
    service_id: `s${id}`,
    service_version_id: `v${id}`,
    title: 'Solver',
    summary: text,
    documentation: '',
    categories: '[]',
    pricing_plans: '[]',
    provider_name: 'Ada Test',
    search_text: text,
    provider_text: 'ada test',
    created_at: at,
    updated_at: at,
    revision: 1,
  };
}
