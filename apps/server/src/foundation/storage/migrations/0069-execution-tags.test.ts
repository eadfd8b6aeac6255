import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { openPostgres } from '../postgres.ts';
import { openSqlite } from '../sqlite.ts';
import { migrationProvider } from './index.ts';

/** A service with a version and an execution of it; the version of the last one is gone. */
const before = [
  ...['MANAGED', 'WORKFLOW'].flatMap((type) => [
    `insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
      values ('s-${type}', 'USER', 'ada', '${type}', '${type}', '${type}', '', 0, 1)`,
    `insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob, source_bytes,
      source_digest, build_id, created_at, revision) values ('v-${type}', 's-${type}', '1.0.0', 'DRAFT', 'INTERNAL', '{}',
      'blob', 1, 'digest', 'build', 0, 1)`,
  ]),
  ...['MANAGED', 'WORKFLOW', 'GONE'].map(
    (type) => `insert into executions (id, owner_type, owner_id, service_version_id, status, created_at, started_at,
      ended_at, result) values ('e-${type}', 'USER', 'ada', 'v-${type}', 'SUCCEEDED', 0, 1, 2, '{}')`,
  ),
];

describe.each(databases)('what was executed before there were tags, on $name', (kind) => {
  test('has no tags, and the type of its service', async () => {
    const { databaseUrl, drop } = await kind.create();
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-test-'));
    const database = databaseUrl ? await openPostgres(databaseUrl) : openSqlite(path.join(folder, 'kethub.db'));
    try {
      const migrator = new Migrator({ db: database.migrations, provider: migrationProvider });
      expect((await migrator.migrateTo('0063-data-pool-labels')).error).toBeUndefined();
      for (const statement of before) await sql.raw(statement).execute(database.migrations);
      expect((await migrator.migrateTo('0069-execution-tags')).error).toBeUndefined();
      const rows = await database.read.selectFrom('executions').select(['id', 'type', 'tags']).orderBy('id').execute();
      expect(rows).toEqual([
        { id: 'e-GONE', type: 'MANAGED', tags: null },
        { id: 'e-MANAGED', type: 'MANAGED', tags: null },
        { id: 'e-WORKFLOW', type: 'WORKFLOW', tags: null },
      ]);
    } finally {
      await database.close();
      await drop();
      await rm(folder, { recursive: true });
    }
  });
});
