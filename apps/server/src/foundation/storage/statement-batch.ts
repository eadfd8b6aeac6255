import { sql, type RawBuilder } from 'kysely';
import { dialectOf, type Queries } from './dialect.ts';
import { insertions } from './insert-many.ts';
import { beforeStatement, isLarge } from './large-texts.ts';
import type { Tables } from './schema.ts';

/** Statements that are combined into one; more are sent as several. */
const AT_ONCE = 16;

/** Rows that a statement has returned; empty before it has run. */
export interface Returned<Row> {
  readonly rows: readonly Row[];
}

interface Part {
  readonly statement: RawBuilder<unknown>;
  /** Null for a statement without `returning`. */
  readonly returned: { rows: readonly unknown[] } | null;
}

/**
 * Independent statements of a transaction. PostgreSQL gets them as one statement, because a round trip costs as much
 * as the work of a statement. No statement sees the effect of another, no two may change the same row, and foreign
 * keys between their rows are checked at the end.
 */
export class StatementBatch {
  readonly #queries: Queries;
  #parts: Part[] = [];

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Adds a statement. SQLite, and batches too large for one statement, run them in the order of addition. */
  add(statement: RawBuilder<unknown>): void {
    this.#parts.push({ statement, returned: null });
  }

  /** Adds a statement with a `returning` clause. Numbers and booleans are returned as in JSON. */
  rows<Row>(statement: RawBuilder<Row>): Returned<Row> {
    const returned: { rows: readonly Row[] } = { rows: [] };
    this.#parts.push({ statement, returned });
    return returned;
  }

  insert<T extends keyof Tables>(
    table: T,
    columns: readonly (keyof Tables[T] & string)[],
    rows: Iterable<object>,
  ): void {
    for (const statement of insertions(this.#queries, table, columns, rows)) this.add(statement);
  }

  /** True if the batch is one statement. */
  get isOne(): boolean {
    return this.#parts.length <= AT_ONCE && !this.#parts.some(({ statement }) => isLarge(statement));
  }

  /** Runs the statements. Statements that are added afterwards belong to the next run. */
  async run(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    const atOnce = dialectOf(this.#queries) === 'postgres' ? AT_ONCE : 1;
    for (const some of groupsOf(parts, atOnce)) {
      await beforeStatement((some[0] as Part).statement);
      await this.#runThese(some);
    }
  }

  async #runThese(parts: readonly Part[]): Promise<void> {
    const [only] = parts;
    if (only && parts.length === 1) {
      const { rows } = await only.statement.execute(this.#queries);
      if (only.returned) only.returned.rows = rows;
      return;
    }
    const named = parts.map(({ statement }, at) => sql`${nameOf(at)} as (${statement})`);
    const asking = parts.flatMap(({ returned }, at) => (returned ? [{ returned, name: nameOf(at) }] : []));
    const answers = asking.map(({ name }) => sql`(select json_agg(${name}) from ${name}) as ${name}`);
    const nothing = sql`1 as nothing`;
    const { rows } = await sql<Record<string, readonly unknown[] | null>>`with ${sql.join(named)}
      select ${answers.length > 0 ? sql.join(answers) : nothing}`.execute(this.#queries);
    const [row] = rows;
    parts.forEach(({ returned }, at) => {
      if (returned) returned.rows = row?.[`part${at}`] ?? [];
    });
  }
}

/** Groups of at most `most` statements. A statement with a large text is a group of its own. */
function groupsOf(parts: readonly Part[], most: number): Part[][] {
  const groups: Part[][] = [];
  let open: Part[] = [];
  for (const part of parts) {
    const alone = isLarge(part.statement);
    if (open.length === 0 || open.length >= most || alone) groups.push((open = []));
    open.push(part);
    if (alone) open = [];
  }
  return groups;
}

/** Runs the statements that `add` adds. */
export async function runBatch(queries: Queries, add: (batch: StatementBatch) => void): Promise<void> {
  const batch = new StatementBatch(queries);
  add(batch);
  await batch.run();
}

function nameOf(at: number): RawBuilder<unknown> {
  return sql.ref(`part${at}`);
}
