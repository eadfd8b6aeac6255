import { sql, SqliteAdapter, type Kysely } from 'kysely';

// On a server without pg_trgm, or whose role may not create it, a search reads all public implementations.
const ON_POSTGRES = `do $$ begin
  create extension if not exists pg_trgm;
  create index public_implementation_index on implementations
    using gin ((name || ' ' || lower(description)) gin_trgm_ops) where visibility = 'PUBLIC';
  exception when others then raise notice 'Search of public implementations has no index: %', sqlerrm;
end $$`;

/** The text that is searched. Two characters at its end make every other character the first of a trigram. */
const textOf = (row: string): string =>
  `case ${row}.visibility when 'PUBLIC' then ${row}.name || ' ' || ${row}.description || char(31, 31) else '' end`;

const ON_SQLITE = [
  // `number` is the row of the full-text index. Numbers are in the order in which implementations were created.
  `create table implementation_texts (
    number integer primary key,
    id text not null unique references implementations (id) on delete cascade,
    text text not null
  )`,
  `create virtual table implementation_index using fts5(
    text, content='implementation_texts', content_rowid='number', tokenize='trigram')`,
  'create virtual table implementation_trigrams using fts5vocab(implementation_index, instance)',
  `create trigger implementation_text_added after insert on implementation_texts begin
    insert into implementation_index (rowid, text) values (new.number, new.text);
  end`,
  `create trigger implementation_text_removed after delete on implementation_texts begin
    insert into implementation_index (implementation_index, rowid, text) values ('delete', old.number, old.text);
  end`,
  `create trigger implementation_text_changed after update of text on implementation_texts begin
    insert into implementation_index (implementation_index, rowid, text) values ('delete', old.number, old.text);
    insert into implementation_index (rowid, text) values (new.number, new.text);
  end`,
  `create trigger implementation_added after insert on implementations begin
    insert into implementation_texts (id, text) values (new.id, ${textOf('new')});
  end`,
  `create trigger implementation_changed after update of name, description, visibility on implementations
    when ${textOf('old')} <> ${textOf('new')} begin
    update implementation_texts set text = ${textOf('new')} where id = new.id;
  end`,
  `insert into implementation_texts (id, text)
    select implementations.id, ${textOf('implementations')} from implementations order by id`,
];

/** Finds public implementations by a part of their name or description. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Kysely runs migrations in a transaction on PostgreSQL only.
  if (db.getExecutor().adapter instanceof SqliteAdapter)
    await db.transaction().execute(async (queries) => {
      for (const statement of ON_SQLITE) await sql.raw(statement).execute(queries);
    });
  else await sql.raw(ON_POSTGRES).execute(db);
}
