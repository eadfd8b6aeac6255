import { sql } from 'kysely';
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
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const into = sql`insert into ${sql.table(table)} (${names})`;
  const insert = async (some: readonly object[]): Promise<void> => {
    const json = JSON.stringify(some);
    const fields = sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`));
    await (
      dialectOf(transaction) === 'sqlite'
        ? sql`${into} select ${fields} from json_each(${json})`
        : sql`${into} select ${names} from json_populate_recordset(null::${sql.table(table)}, ${json}::json)`
    ).execute(transaction);
  };
  let some: object[] = [];
  for (const row of rows) {
    if (some.push(row) < AT_ONCE) continue;
    await insert(some);
    some = [];
  }
  if (some.length > 0) await insert(some);
}
