import { sql, type Kysely } from 'kysely';
import type { Tables } from '../schema.ts';

const statements = [
  `create table sign_in_failures (key text primary key, failures bigint not null, expires_at bigint not null)`,
  `create index sign_in_failures_by_end on sign_in_failures (expires_at)`,
  `create table sign_in_networks (key text primary key, expires_at bigint not null)`,
  `create index sign_in_networks_by_end on sign_in_networks (expires_at)`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
