import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** What a build was promised of its machine, and when each owner was last given one: builds take turns by owner. */
const both = [
  `alter table builds add column cpus double precision`,
  `alter table builds add column memory_bytes bigint`,
  `create table build_turns (owner_id text not null primary key, turn_at bigint not null)`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of both) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
