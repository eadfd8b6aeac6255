import { sql, type RawBuilder } from 'kysely';
import { dialectOf, type Queries } from './dialect.ts';

/**
 * Rows as a table that a statement can join, with one parameter for any number of rows. The statement has to give the
 * table an alias. Column names are not escaped.
 */
export function recordsOf(
  queries: Queries,
  rows: readonly object[],
  types: Readonly<Record<string, 'text' | 'bigint'>>,
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  if (dialectOf(queries) === 'sqlite') {
    const fields = Object.keys(types).map((name) => `value ->> '${name}' as "${name}"`);
    return sql`${sql.raw(`(select ${fields.join(', ')} from json_each(`)}${json}))`;
  }
  const names = Object.keys(types).map((name) => `"${name}"`);
  const fields = Object.entries(types).map(([name, type]) => `"${name}" ${type}`);
  return sql`${sql.raw(`(select ${names.join(', ')} from json_to_recordset(`)}${json}::json) ${sql.raw(`as given (${fields.join(', ')}))`)}`;
}
