import { sql, type Kysely } from 'kysely';

/** A process reports for operators what keeps it from running user code. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table processes add column problem text').execute(db);
}
