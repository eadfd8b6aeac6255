import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * Who is shut out (rejected or switched off), for processes that do not ask the identity provider: the applications of
 * these people call nothing. Each change is written to the log of changes of access, like those of migration 0017.
 */
const table = `create table shut_out (user_id text primary key, noted_at bigint not null)`;

function sqlite(): string[] {
  const now = 'unixepoch() * 1000';
  const trigger = (event: string, row: string): string =>
    `create trigger shut_out_${event}_changes_access after ${event} on shut_out begin
      insert into access_changes (application_id, created_at)
        select id, ${now} from applications where owner_type = 'USER' and owner_id = ${row}.user_id; end`;
  return [trigger('insert', 'new'), trigger('delete', 'old')];
}

function postgres(): string[] {
  const now = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return [
    `create function access_changed_of_owner() returns trigger language plpgsql as $$ declare changed text; begin
      changed := case when tg_op = 'DELETE' then old.user_id else new.user_id end;
      insert into access_changes (application_id, transaction_id, created_at)
        select id, pg_current_xact_id()::text::bigint, ${now} from applications
        where owner_type = 'USER' and owner_id = changed;
      return null; end $$`,
    ...['insert', 'delete'].map(
      (event) => `create trigger shut_out_${event}_changes_access after ${event} on shut_out
        for each row execute function access_changed_of_owner()`,
    ),
  ];
}

export async function up(db: Kysely<Tables>): Promise<void> {
  const statements = [table, ...(dialectOf(db) === 'sqlite' ? sqlite() : postgres())];
  for (const statement of statements) await sql.raw(statement).execute(db);
  await sql`insert into shut_out (user_id, noted_at)
    select id, 0 from identities where enabled = 0 or status = 'REJECTED'`.execute(db);
}
