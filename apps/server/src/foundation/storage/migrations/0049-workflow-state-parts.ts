import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * The state of a large instance in parts, so that a step writes those that it changes. The trigger of 0036 takes them away with
 * an instance on PostgreSQL: whoever writes them holds its row.
 */
const create = (reference: string) => `create table workflow_state_parts (
  instance_id text not null ${reference}, part text not null, text text not null, primary key (instance_id, part))`;

const postgres = [
  create(''),
  `create or replace function workflow_instances_gone() returns trigger language plpgsql as $$ begin
    delete from workflow_journal where instance_id in (select id from gone);
    delete from workflow_jobs where instance_id in (select id from gone);
    delete from workflow_state_parts where instance_id in (select id from gone);
    return null; end $$`,
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const statements =
    dialectOf(db) === 'postgres' ? postgres : [create('references workflow_instances (id) on delete cascade')];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
