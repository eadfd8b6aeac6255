import { sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

interface Waiting<Row> {
  resolve(row: Row | undefined): void;
  reject(error: unknown): void;
}

/**
 * Creates a look-up of rows by a unique column, for queries of nearly every request. The statement begins after the
 * call, so that a row deleted before is not found. SQLite uses a prepared statement: 3 µs instead of 23 µs. On
 * PostgreSQL, calls in one turn of the event loop share a statement: separate ones cost 100 µs on both sides, most of
 * a request.
 */
export function createLookUp<Row>(
  database: Database,
  table: keyof Tables,
  column: string & keyof Row,
): (key: string) => Promise<Row | undefined> {
  const { read, dialect } = database;
  const select = read.selectFrom(table).selectAll();
  const reference = read.dynamic.ref(column);
  if (dialect === 'sqlite') {
    const rowsOf = database.prepare<Row>(select.where(reference, '=', '').$castTo<Row>());
    return async (key) => (await rowsOf([key]))[0];
  }
  const rowsOf = database.prepare<Row>(select.where(reference, '=', sql.raw('any($1::text[])')).$castTo<Row>());
  const find = shared(async (keys) => {
    const rows = await rowsOf([keys]);
    return new Map(rows.map((row) => [row[column], row]));
  });
  // No row contains U+0000, and PostgreSQL would reject the statement of all calls that share it.
  return async (key) => (key.includes('\0') ? undefined : find(key));
}

/** Combines the calls of one turn of the event loop into one call of `find`. */
function shared<Row>(find: (keys: string[]) => Promise<Map<unknown, Row>>): (key: string) => Promise<Row | undefined> {
  let waiting = new Map<string, Waiting<Row>[]>();
  const ask = (): void => {
    const asked = waiting;
    waiting = new Map();
    find([...asked.keys()]).then(
      (rows) => asked.forEach((all, key) => all.forEach(({ resolve }) => resolve(rows.get(key)))),
      (error: unknown) => asked.forEach((all) => all.forEach(({ reject }) => reject(error))),
    );
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) setImmediate(ask);
      const all = waiting.get(key) ?? [];
      all.push({ resolve, reject });
      waiting.set(key, all);
    });
}
