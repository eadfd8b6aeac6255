import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

const owner = (column: string): string => `${column} text not null check (${column} in ('USER', 'ORGANIZATION'))`;

/** `number` keeps the place in the full-text index. */
const listings = (number: string): string => `create table listings (
  number ${number}, id text not null unique,
  service_id text not null unique references services (id) on delete cascade,
  service_version_id text not null references service_versions (id) on delete cascade,
  title text not null, summary text not null, documentation text not null, categories text not null,
  pricing_plans text not null, provider_name text not null, search_text text not null, provider_text text not null,
  created_at bigint not null, updated_at bigint not null, revision bigint not null)`;

const sqlite = [
  listings('integer primary key'),
  `create virtual table listing_index using fts5(
    search_text, provider_text, content='listings', content_rowid='number', tokenize='trigram case_sensitive 1')`,
  `create trigger listing_added after insert on listings begin
    insert into listing_index (rowid, search_text, provider_text)
    values (new.number, new.search_text, new.provider_text); end`,
  `create trigger listing_removed after delete on listings begin
    insert into listing_index (listing_index, rowid, search_text, provider_text)
    values ('delete', old.number, old.search_text, old.provider_text); end`,
  `create trigger listing_changed after update of search_text, provider_text on listings begin
    insert into listing_index (listing_index, rowid, search_text, provider_text)
    values ('delete', old.number, old.search_text, old.provider_text);
    insert into listing_index (rowid, search_text, provider_text)
    values (new.number, new.search_text, new.provider_text); end`,
];

/** Where the server has no pg_trgm, or does not let it be used, a search reads all listings. */
const postgres = [
  listings('bigint generated always as identity primary key'),
  `do $$ begin
    create extension if not exists pg_trgm;
    create index listing_index on listings using gin (search_text gin_trgm_ops, provider_text gin_trgm_ops);
  exception when others then raise notice 'Search in the marketplace has no index: %', sqlerrm; end $$`,
];

const both = [
  `create index listings_of_version on listings (service_version_id)`,
  `create table listing_categories (
    category text not null, listing_id text not null references listings (id) on delete cascade,
    primary key (category, listing_id))`,
  `create index listing_categories_of_listing on listing_categories (listing_id)`,
  `alter table subscriptions add column basis text not null default 'INTERNAL'
    check (basis in ('INTERNAL', 'SHARE', 'MARKETPLACE'))`,
  // No foreign keys from here on: what was agreed and used outlives subscription, application and service.
  `create table accepted_plans (
    subscription_id text primary key, application_id text not null, service_id text not null,
    service_version_id text not null, service_name text not null, version text not null,
    type text not null check (type in ('FREE', 'COMMERCIAL')), pricing_plan text not null,
    ${owner('consumer_type')}, consumer_id text not null,
    ${owner('provider_type')}, provider_id text not null, accepted_at bigint not null)`,
  `create index accepted_plans_of_application on accepted_plans (application_id)`,
  `create index accepted_plans_of_service on accepted_plans (service_id)`,
  `create table usage_records (
    id text primary key, subscription_id text not null, application_id text not null, service_id text not null,
    service_version_id text not null, execution_id text, product text not null, amount bigint not null check (amount >= 0),
    unit_price text, currency text, test bigint not null check (test in (0, 1)),
    ${owner('consumer_type')}, consumer_id text not null,
    ${owner('provider_type')}, provider_id text not null, occurred_at bigint not null, created_at bigint not null,
    day bigint generated always as (occurred_at / 86400000) stored, unique (execution_id, product))`,
  // All that a month is added up from, a day at a time in the order of the groups: no row is read, nothing is sorted.
  `create index usage_of_consumer on usage_records
    (consumer_type, consumer_id, day, subscription_id, product, provider_type, provider_id, amount) where test = 0`,
  `create index usage_of_provider on usage_records
    (provider_type, provider_id, day, subscription_id, product, consumer_type, consumer_id, amount) where test = 0`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const statements = dialectOf(db) === 'sqlite' ? sqlite : postgres;
  for (const statement of [...statements, ...both]) await sql.raw(statement).execute(db);
}
