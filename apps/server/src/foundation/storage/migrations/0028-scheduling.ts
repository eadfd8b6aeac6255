import { sql, type Kysely } from 'kysely';
import { dialectOf } from '../dialect.ts';
import type { Tables } from '../schema.ts';

/**
 * Who waits for their turn. A queue is what one owner has pending of one service version; the triggers see to it that
 * there is one for every PENDING execution, however it came to be. An empty one is taken away by who finds it.
 */
const both = [
  `create table queues (
    owner_id text not null, service_version_id text not null, service_id text, turn_at bigint not null,
    primary key (owner_id, service_version_id))`,
  `create index queues_by_turn on queues (turn_at)`,
  `drop index executions_pending`,
  `drop index executions_running`,
  `alter table executions add column cpus double precision`,
  `alter table executions add column memory_bytes bigint`,
  `alter table executions add column gpus bigint`,
  `alter table executions add column gpu_type text`,
  // Of one whose application was gone before its owner was kept: a queue of nobody's.
  `update executions set owner_type = 'USER', owner_id = '' where owner_id is null and status in ('PENDING', 'RUNNING')`,
  // With the time, though ids are in its order: PostgreSQL would take the index of ids where it believes that most wait.
  `create index executions_pending on executions (owner_id, service_version_id, created_at, id) where status = 'PENDING'`,
  `create index executions_running on executions (worker_id, owner_id, service_id, cpus, memory_bytes)
    where status = 'RUNNING'`,
  `insert into queues (owner_id, service_version_id, service_id, turn_at)
    select owner_id, service_version_id, max(service_id), min(created_at) from executions where status = 'PENDING'
    group by owner_id, service_version_id`,
  `alter table service_limits add column executions_at_once bigint`,
  `alter table workers add column cpus double precision`,
  `alter table workers add column memory_bytes bigint`,
  `alter table workers add column gpus text`,
];

const columns = '(owner_id, service_version_id, service_id, turn_at)';
const values = 'new.owner_id, new.service_version_id, new.service_id, new.created_at';
const same = 'owner_id = new.owner_id and service_version_id = new.service_version_id';

const sqlite = (['insert', 'update of status'] as const).map(
  (event) => `create trigger executions_${event.slice(0, 6)}_queues after ${event} on executions
    when new.status = 'PENDING' begin
      insert into queues ${columns} select ${values} where not exists (select 1 from queues where ${same}); end`,
);

/**
 * Who adds to a queue holds its row against being taken away, as a foreign key would, and holds up nobody else who adds:
 * whoever takes it away afterwards sees what was added.
 */
const postgres = [
  `create function execution_waits() returns trigger language plpgsql as $$ begin
    loop
      perform 1 from queues where ${same} for key share;
      exit when found;
      insert into queues ${columns} values (${values}) on conflict do nothing;
    end loop;
    return null; end $$`,
  ...(['insert', 'update of status'] as const).map(
    (event) => `create trigger executions_${event.slice(0, 6)}_queues after ${event} on executions for each row
      when (new.status = 'PENDING') execute function execution_waits()`,
  ),
];

export async function up(db: Kysely<Tables>): Promise<void> {
  const run = async (queries: Kysely<Tables>, statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(queries);
  };
  // All of it or nothing, which on PostgreSQL the migrator itself sees to.
  if (dialectOf(db) === 'sqlite') await db.transaction().execute((queries) => run(queries, [...both, ...sqlite]));
  else await run(db, [...both, ...postgres]);
}
