import { sql, type RawBuilder } from 'kysely';
import { dialectOf, type Queries } from './dialect.ts';
import type { Tables } from './schema.ts';

const AT_ONCE = 2_000;

/** Rows for several tables. */
export type Insertions = {
  readonly [T in keyof Tables]?: {
    readonly columns: readonly (keyof Tables[T] & string)[];
    readonly rows: readonly object[];
  };
};

/** Inserts many rows, 2,000 to a statement with one parameter: a million short rows take seconds. */
export async function insertMany<T extends keyof Tables>(
  transaction: Queries,
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  rows: Iterable<object>,
): Promise<void> {
  await insertInto(transaction, table, columns, rows);
}

async function insertInto(
  transaction: Queries,
  table: keyof Tables,
  columns: readonly string[],
  rows: Iterable<object>,
): Promise<void> {
  let some: object[] = [];
  for (const row of rows) {
    if (some.push(row) < AT_ONCE) continue;
    await statement(transaction, table, columns, some).execute(transaction);
    some = [];
  }
  if (some.length > 0) await statement(transaction, table, columns, some).execute(transaction);
}

/**
 * Inserts rows into several tables, on PostgreSQL in one statement when they are few: what takes turns with other work waits
 * for each statement.
 */
export async function insertTogether(transaction: Queries, insertions: Insertions): Promise<void> {
  // The keys are those of the parameter's type.
  const entries = Object.entries(insertions) as [
    keyof Tables,
    { columns: readonly string[]; rows: readonly object[] },
  ][];
  const filled = entries.filter(([, { rows }]) => rows.length > 0);
  const few = filled.every(([, { rows }]) => rows.length <= AT_ONCE);
  if (dialectOf(transaction) === 'sqlite' || !few || filled.length < 2) {
    for (const [table, { columns, rows }] of filled) await insertInto(transaction, table, columns, rows);
    return;
  }
  const statements = filled.map(([table, { columns, rows }]) => statement(transaction, table, columns, rows));
  const last = statements.pop();
  const parts = statements.map((one, at) => sql`${sql.ref(`part${at}`)} as (${one})`);
  await sql`with ${sql.join(parts)} ${last}`.execute(transaction);
}

function statement(
  transaction: Queries,
  table: keyof Tables,
  columns: readonly string[],
  rows: readonly object[],
): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const into = sql`insert into ${sql.table(table)} (${names})`;
  const json = JSON.stringify(rows);
  const fields = sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`));
  return dialectOf(transaction) === 'sqlite'
    ? sql`${into} select ${fields} from json_each(${json})`
    : sql`${into} select ${names} from json_populate_recordset(null::${sql.table(table)}, ${json}::json)`;
}
