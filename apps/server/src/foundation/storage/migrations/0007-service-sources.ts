import { sql, type Kysely } from 'kysely';

/** Rules by which pushes to an implementation become versions of a service. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table service_sources (
        service_id text primary key references services (id) on delete cascade,
        implementation_id text not null references implementations (id) on delete cascade,
        watched text not null check (watched in ('BRANCH', 'TAG')),
        pattern text not null,
        action text not null check (action in ('DRAFT', 'PUBLISH')),
        set_by text not null,
        last_commit text,
        last_version text,
        problem text,
        created_at bigint not null,
        revision bigint not null
      )`,
    )
    .execute(db);
}
