import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { afterEach, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { openDatabase } from './database.ts';
import { migrationProvider } from './migrations/index.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** The last migration of the first version that people have kept data with. */
const FIRST_KEPT = '0002-profiles';

describe.each(databases)('data of an earlier version on $name', ({ create }) => {
  const cleanUp: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (let step = cleanUp.pop(); step; step = cleanUp.pop()) await step();
  });

  test('is brought up to date, and nothing of it is lost', async () => {
    const { databaseUrl, drop } = await create();
    cleanUp.push(drop);
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-upgrade-'));
    cleanUp.push(() => rm(folder, { recursive: true }));
    const options = { databaseUrl, sqliteFile: path.join(folder, 'kethub.db') };

    const before = databaseUrl ? await openPostgres(databaseUrl) : openSqlite(options.sqliteFile);
    const db = before.migrations;
    const { error } = await new Migrator({ db, provider: migrationProvider }).migrateTo(FIRST_KEPT);
    expect(error).toBeUndefined();
    await sql`insert into users (id, username, email, firstname, lastname, about, created_at, updated_at)
      values ('u', 'ada', 'ada@example.org', 'Ada', 'Lovelace', 'x', 1, 1)`.execute(db);
    await sql`insert into user_search (user_id, search_text) values ('u', 'lovelace ada')`.execute(db);
    await sql`insert into identities (id, username, email, email_verified, firstname, lastname, password_hash, status, enabled, created_at)
      values ('u', 'ada', 'ada@example.org', 1, 'Ada', 'Lovelace', 'hash', 'APPROVED', 1, 1)`.execute(db);
    await sql`insert into access_tokens (id, user_id, name, digest, is_default, created_at) values ('t', 'u', 'x', 'd', 0, 1)`.execute(
      db,
    );
    await sql`insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
      values ('s', 'USER', 'u', 'S', 's', 'MANAGED', '', 1, 1)`.execute(db);
    await sql`insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob, source_bytes, source_digest, build_id, created_at, published_at, revision)
      values ('v', 's', '1.0.0', 'PUBLISHED', 'INTERNAL', '{}', 'b', 1, 'd', 'x', 1, 1, 1)`.execute(db);
    await sql`insert into applications (id, owner_type, owner_id, name, created_at, revision) values ('a', 'USER', 'u', 'A', 1, 1)`.execute(
      db,
    );
    await sql`insert into subscriptions (id, application_id, service_id, service_version_id, created_at) values ('p', 'a', 's', 'v', 1)`.execute(
      db,
    );
    await sql`insert into executions (id, subscription_id, application_id, service_version_id, status, created_at, started_at, ended_at, result)
      values ('e', 'p', 'a', 'v', 'SUCCEEDED', 1, 1, 2, '{}')`.execute(db);
    await before.close();

    const database = await openDatabase(options);
    cleanUp.push(() => database.close());
    const { read } = database;
    for (const table of [
      'users',
      'identities',
      'access_tokens',
      'services',
      'service_versions',
      'applications',
    ] as const)
      expect(await read.selectFrom(table).select('id').execute(), table).toHaveLength(1);
    expect(await read.selectFrom('subscriptions').selectAll().execute()).toMatchObject([{ id: 'p', service_id: 's' }]);
    expect(await read.selectFrom('executions').selectAll().execute()).toMatchObject([
      { id: 'e', subscription_id: 'p', application_id: 'a', status: 'SUCCEEDED', result: '{}' },
    ]);
    const blocks = await read.selectFrom('user_search_blocks').select('entries').execute();
    expect(blocks.map(({ entries }) => entries).join('')).toContain('lovelace');
  });
});
