import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/** Whom the search has to look at anew, and the copy of the people of an external identity provider. */
const both = [
  `create table search_changes (user_id text primary key)`,
  `create table provider_people (
    subject text primary key, username text not null, email text not null, email_verified integer not null,
    firstname text not null, lastname text not null, status text not null, enabled integer not null,
    round bigint not null)`,
  `create index provider_people_by_round on provider_people (round)`,
  `create table provider_rounds (
    id text primary key, holder text not null, lease_until bigint not null, began_at bigint not null,
    complete_since bigint, took_ms bigint not null)`,
  `insert into search_changes (user_id) select id from identities
    where status = 'APPROVED' and enabled = 1 and id not in (select user_id from user_search)`,
  // ẞ was folded to ß before, and ß to ss.
  `insert into search_changes (user_id) select user_id from user_search where search_text like '%ß%'`,
];

/** Both tables hold people, under another name of their id. */
const people = [
  ['identities', 'id'],
  ['provider_people', 'subject'],
] as const;
const NAMES = ['username', 'firstname', 'lastname', 'status', 'enabled'];
const differs = NAMES.map((name) => `old.${name} <> new.${name}`).join(' or ');
const approved = `new.status = 'APPROVED' and new.enabled = 1`;

const sqlite = people.flatMap(([table, id]) => {
  // Without OR IGNORE: the conflict clause of the statement that fires the trigger would take its place.
  const note = `begin insert into search_changes (user_id)
    select new.${id} where not exists (select 1 from search_changes where user_id = new.${id}); end`;
  return [
    `create trigger ${table}_searched_insert after insert on ${table} when ${approved} ${note}`,
    `create trigger ${table}_searched_update after update on ${table} when ${approved} and (${differs}) ${note}`,
  ];
});

const postgres = people.flatMap(([table, id]) => [
  `create function ${table}_searched() returns trigger language plpgsql as $$ begin
    insert into search_changes (user_id) values (new.${id}) on conflict do nothing; return null; end $$`,
  `create trigger ${table}_searched_insert after insert on ${table} for each row
    when (${approved}) execute function ${table}_searched()`,
  `create trigger ${table}_searched_update after update on ${table} for each row
    when (${approved} and (${differs})) execute function ${table}_searched()`,
]);

export async function up(db: Kysely<Tables>): Promise<void> {
  const statements = [...both, ...(dialectOf(db) === 'sqlite' ? sqlite : postgres)];
  const run = async (queries: Kysely<Tables>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute(run);
  else await run(db);
}
