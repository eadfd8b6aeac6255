import { sql } from 'kysely';
import type { TestPlatform } from './platform.ts';

/**
 * Writes two applications of the user `u`. Application `a` has the access key `ak` and is subscribed (`p`) to version 1.0.0
 * (`v`) of the service `s`, which also has version 1.0.1 (`v2`). Application `b` has nothing.
 */
export async function writeAccessRows(platform: TestPlatform): Promise<void> {
  const run = (statement: string) => execute(platform, statement);
  for (const table of ['applications', 'services']) await run(`delete from ${table}`);
  await run(`insert into applications (id, owner_type, owner_id, name, created_at, revision)
    values ('a', 'USER', 'u', 'A', 1, 1), ('b', 'USER', 'u', 'B', 1, 1)`);
  await run(`insert into access_keys (id, application_id, access_key_id, secret_digest, sealed_secret, secret_hint, created_at)
    values ('k', 'a', 'ak', 'd', 's', 'h', 1)`);
  await run(`insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
    values ('s', 'USER', 'u', 'S', 's', 'MANAGED', '', 1, 1)`);
  for (const [id, version] of [
    ['v', '1.0.0'],
    ['v2', '1.0.1'],
  ])
    await run(`insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob, source_bytes,
      source_digest, build_id, created_at, published_at, revision)
      values ('${id}', 's', '${version}', 'PUBLISHED', 'INTERNAL', '{}', 'b', 1, 'd', 'x', 1, 1, 1)`);
  await run(
    `insert into subscriptions (id, application_id, service_id, service_version_id, created_at) values ('p', 'a', 's', 'v', 1)`,
  );
}

/** Runs one statement of SQL, as text. */
export async function execute({ database }: TestPlatform, statement: string): Promise<void> {
  await database.write((transaction) => sql.raw(statement).execute(transaction));
}
