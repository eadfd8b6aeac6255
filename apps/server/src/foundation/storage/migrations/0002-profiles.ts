import { sql, SqliteAdapter, type Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import { searchTextOf } from '../search-text.ts';

const both = [
  `create table profile_images (
    user_id text primary key references users (id) on delete cascade, blob text not null,
    media_type text not null check (media_type in ('image/jpeg', 'image/png')), bytes bigint not null,
    digest text not null, created_at bigint not null)`,
  `create index users_by_email on users (email)`,
];

/** A full-text index of trigrams beside the table, kept by triggers. `number` is declared, so VACUUM leaves it alone. */
const sqlite = [
  `create table user_search (
    number integer primary key, user_id text not null unique references users (id) on delete cascade,
    search_text text not null)`,
  `create index user_search_in_order on user_search (search_text, user_id)`,
  `create virtual table user_search_index using fts5(
    search_text, content='user_search', content_rowid='number', tokenize='trigram case_sensitive 1')`,
  `create trigger user_search_added after insert on user_search begin
    insert into user_search_index (rowid, search_text) values (new.number, new.search_text); end`,
  `create trigger user_search_removed after delete on user_search begin
    insert into user_search_index (user_search_index, rowid, search_text)
    values ('delete', old.number, old.search_text); end`,
  `create trigger user_search_changed after update of search_text on user_search begin
    insert into user_search_index (user_search_index, rowid, search_text)
    values ('delete', old.number, old.search_text);
    insert into user_search_index (rowid, search_text) values (new.number, new.search_text); end`,
];

/** Compared by code point like SQLite does. Where the server has no pg_trgm, or does not let it be used, search reads all. */
const postgres = [
  `create table user_search (
    number bigint generated always as identity primary key,
    user_id text not null unique references users (id) on delete cascade, search_text text collate "C" not null)`,
  `create index user_search_in_order on user_search (search_text, user_id)`,
  `do $$ begin
    create extension if not exists pg_trgm;
    create index user_search_index on user_search using gin (search_text gin_trgm_ops);
  exception when others then raise notice 'Search for users has no index: %', sqlerrm; end $$`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  for (const statement of [...both, ...(isSqlite ? sqlite : postgres)]) await sql.raw(statement).execute(db);
  const users = await db.selectFrom('users').select(['id', 'username', 'firstname', 'lastname']).execute();
  for (const user of users) {
    await sql`insert into user_search (user_id, search_text) values (${user.id}, ${searchTextOf(user)})`.execute(db);
  }
}
