import { sql, type RawBuilder } from 'kysely';
import { dialectOf, type Queries } from './dialect.ts';
import { beforeStatement, hasLargeText, large } from './large-texts.ts';
import type { Tables } from './schema.ts';

/** Rows of a statement; more are inserted by several statements. */
const AT_ONCE = 2_000;

/** Inserts many rows, 2,000 to a statement with one parameter: a million short rows take seconds. */
export async function insertMany<T extends keyof Tables>(
  transaction: Queries,
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  rows: Iterable<object>,
): Promise<void> {
  for (const statement of insertions(transaction, table, columns, rows)) {
    await beforeStatement(statement);
    await statement.execute(transaction);
  }
}

/** The statements of {@link insertMany}, created lazily. */
export function* insertions<T extends keyof Tables>(
  queries: Queries,
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  rows: Iterable<object>,
): Iterable<RawBuilder<unknown>> {
  let some: object[] = [];
  for (const row of rows) {
    if (hasLargeText(row)) yield insertionOfOne(table, columns, row);
    else some.push(row);
    if (some.length < AT_ONCE) continue;
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
  // Raw text, because building nodes for the names would take most of the time. The names are those of the schema.
  const names = columns.map((column) => `"${column}"`).join(', ');
  const into = `insert into "${table}" (${names}) select`;
  const json = JSON.stringify(rows);
  if (dialectOf(queries) === 'postgres')
    return sql`${sql.raw(`${into} ${names} from json_populate_recordset(null::"${table}", `)}${json}::json)`;
  const fields = columns.map((column) => `value ->> '${column}'`).join(', ');
  return sql`${sql.raw(`${into} ${fields} from json_each(`)}${json})`;
}

function insertionOfOne(table: keyof Tables, columns: readonly string[], row: object): RawBuilder<unknown> {
  const values = columns.map((column) => (row as Record<string, unknown>)[column] ?? null);
  return large(sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values (${sql.join(values)})`);
}
