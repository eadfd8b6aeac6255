import { sql, type RawBuilder } from 'kysely';
import { dialectOf, type Queries } from './dialect.ts';
import type { Tables } from './schema.ts';

const AT_ONCE = 2_000;

/** Inserts many rows, 2,000 to a statement with one parameter: a million short rows take seconds. */
export async function insertMany<T extends keyof Tables>(
  transaction: Queries,
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  rows: Iterable<object>,
): Promise<void> {
  for (const statement of insertions(transaction, table, columns, rows)) await statement.execute(transaction);
}

/** The statements of {@link insertMany}; each is made when it is asked for. */
export function* insertions<T extends keyof Tables>(
  queries: Queries,
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  rows: Iterable<object>,
): Iterable<RawBuilder<unknown>> {
  let some: object[] = [];
  for (const row of rows) {
    if (some.push(row) < AT_ONCE) continue;
    yield insertion(queries, table, columns, some);
    some = [];
  }
  if (some.length > 0) yield insertion(queries, table, columns, some);
}

function insertion(
  queries: Queries,
  table: keyof Tables,
  columns: readonly string[],
  rows: readonly object[],
): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const into = sql`insert into ${sql.table(table)} (${names})`;
  const json = JSON.stringify(rows);
  const fields = sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`));
  return dialectOf(queries) === 'sqlite'
    ? sql`${into} select ${fields} from json_each(${json})`
    : sql`${into} select ${names} from json_populate_recordset(null::${sql.table(table)}, ${json}::json)`;
}
