import { sql, type RawBuilder } from 'kysely';
import { dialectOf, type Queries } from './dialect.ts';

/** Rows as a table that a statement can join: one parameter, however many they are. Name it where it is used. */
export function recordsOf(
  queries: Queries,
  rows: readonly object[],
  types: Readonly<Record<string, 'text' | 'bigint'>>,
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  if (dialectOf(queries) === 'sqlite') {
    const fields = Object.keys(types).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(fields)} from json_each(${json}))`;
  }
  const fields = Object.entries(types).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
  return sql`(select ${sql.join(Object.keys(types).map((name) => sql.ref(name)))} from json_to_recordset(${json}::json) as given (${sql.join(fields)}))`;
}
