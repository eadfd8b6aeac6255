import { sql, SqliteAdapter, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from './schema.ts';

/** Runs queries; inside `write`, those of the transaction. */
export type Queries = Kysely<Tables>;

/** The database on which these queries run, for statements that differ. */
export function dialectOf(queries: Queries): 'sqlite' | 'postgres' {
  return queries.getExecutor().adapter instanceof SqliteAdapter ? 'sqlite' : 'postgres';
}

/** Returns whether a column or an expression has one of these values: one parameter for any number of values. */
export function isAmong(
  queries: Queries,
  column: string | RawBuilder<unknown>,
  values: readonly string[],
): RawBuilder<boolean> {
  const value = typeof column === 'string' ? sql.ref(column) : column;
  return dialectOf(queries) === 'sqlite'
    ? sql<boolean>`${value} in (select value from json_each(${JSON.stringify(values)}))`
    : sql<boolean>`${value} = any(${values}::text[])`;
}
