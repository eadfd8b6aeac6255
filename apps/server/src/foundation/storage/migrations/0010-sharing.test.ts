import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../postgres.ts';
import { openSqlite } from '../sqlite.ts';
import { databases } from '../../../testing/databases.ts';
import { migrationProvider } from './index.ts';

const id = (number: number): string => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Two executions of before: one whose application and service are there, one whose are gone. */
const before = [
  `insert into applications values ('${id(1)}', 'ORGANIZATION', 'lab', 'caller', 0, 1)`,
  `insert into services values ('${id(2)}', 'USER', 'ada', 'Probe', 'probe', 'MANAGED', '', 0, 1)`,
  `insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob, source_bytes,
    source_digest, build_id, created_at, revision)
    values ('${id(3)}', '${id(2)}', '1.0.0', 'PUBLISHED', 'INTERNAL', '{}', 'blob', 1, 'digest', '${id(4)}', 0, 1)`,
  ...[
    [id(5), id(6), id(1), id(3)],
    [id(7), id(8), id(9), id(9)],
  ].map(
    ([execution, subscription, application, version]) => `
    insert into executions (id, subscription_id, application_id, service_version_id, status, created_at, started_at,
      ended_at, result)
      values ('${execution}', '${subscription}', '${application}', '${version}', 'SUCCEEDED', 0, 1, 2, '{}')`,
  ),
  `insert into execution_files values ('${id(5)}', 'a.txt', 'blob', 1)`,
];

describe.each(databases)('what was executed before there were jobs, on $name', (kind) => {
  test('keeps its subscription and files, and gets its owner and service where they are known', async () => {
    const { databaseUrl, drop } = await kind.create();
    const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-test-'));
    const database = databaseUrl ? await openPostgres(databaseUrl) : openSqlite(path.join(folder, 'kethub.db'));
    try {
      const migrator = new Migrator({ db: database.migrations, provider: migrationProvider });
      expect((await migrator.migrateTo('0009-sign-in-attempts')).error).toBeUndefined();
      for (const statement of before) await sql.raw(statement).execute(database.migrations);
      expect((await migrator.migrateTo('0010-sharing')).error).toBeUndefined();
      const rows = await database.read
        .selectFrom('executions')
        .select([
          'id',
          'subscription_id',
          'application_id',
          'owner_type',
          'owner_id',
          'person_id',
          'service_id',
          'result',
        ])
        .orderBy('id')
        .execute();
      const same = { person_id: null, result: '{}' };
      expect(rows).toEqual([
        {
          ...same,
          id: id(5),
          subscription_id: id(6),
          application_id: id(1),
          owner_type: 'ORGANIZATION',
          owner_id: 'lab',
          service_id: id(2),
        },
        {
          ...same,
          id: id(7),
          subscription_id: id(8),
          application_id: id(9),
          owner_type: null,
          owner_id: null,
          service_id: null,
        },
      ]);
      const files = await database.read.selectFrom('execution_files').select('execution_id').execute();
      expect(files).toEqual([{ execution_id: id(5) }]);
    } finally {
      await database.close();
      await rm(folder, { recursive: true });
      await drop();
    }
  });
});
