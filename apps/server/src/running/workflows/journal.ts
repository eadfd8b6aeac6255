import { jsonText, type EventEntry, type JournalEntry } from '@kethub/workflow';
import { sql } from 'kysely';
import { readExact } from './exact.ts';
import type { Queries, WorkflowJournalRow } from '../../foundation/storage/index.ts';

/** Type of a row with all entries that one transaction has added, as a list. Its `seq` is that of the first entry. */
const STEPS = 'steps';

type Row = Pick<WorkflowJournalRow, 'seq' | 'at' | 'type' | 'entry'>;

export const journalColumns = ['instance_id', 'seq', 'at', 'type', 'entry'] as const;

/** Makes one row for all entries: each row costs a reference to check and an index entry to write. */
export function journalRows(instanceId: string, journal: readonly JournalEntry[]): WorkflowJournalRow[] {
  const [first] = journal;
  if (!first) return [];
  return [{ instance_id: instanceId, seq: first.seq, at: first.at, type: STEPS, entry: textOf(journal) }];
}

/** Only events and incidents contain values of instances, whose numbers are exact. */
function textOf(journal: readonly JournalEntry[]): string {
  const plain = journal.map((entry) =>
    entry.type === 'event' || entry.type === 'incident' ? jsonText(entry) : JSON.stringify(entry),
  );
  return `[${plain.join(',')}]`;
}

/** The entries of a row; older versions of the platform wrote one for each. */
export async function entriesOf({ seq, at, type, entry }: Row): Promise<JournalEntry[]> {
  const parsed = (await readExact(entry)) as object;
  return type === STEPS ? (parsed as JournalEntry[]) : [{ ...parsed, seq, at, type } as JournalEntry];
}

/** Characters of rows of a journal that are read at a time. A longer row is read alone. */
const AT_ONCE_CHARACTERS = 4 * 1024 * 1024;

/**
 * Entries of a journal after the one with the number `after`, in order. They are up to `limit`, fewer if they are long,
 * and none only at the end.
 */
export async function readJournalAfter(
  queries: Queries,
  instanceId: string,
  after: number,
  limit: number,
): Promise<JournalEntry[]> {
  const before = await queries
    .selectFrom('workflow_journal')
    .select('seq')
    .where('instance_id', '=', instanceId)
    .where('seq', '<=', after)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  let from = before?.seq ?? after;
  for (;;) {
    const rows = await rowsFrom(queries, instanceId, from, limit + 1);
    const last = rows.at(-1);
    if (!last) return [];
    const entries: JournalEntry[] = [];
    for (const row of rows) entries.push(...(await entriesOf(row)));
    const found = entries.filter(({ seq }) => seq > after).slice(0, limit);
    if (found.length > 0) return found;
    from = last.seq + 1;
  }
}

/** Rows of a journal from a number on, as many as are short enough to be read at once, and at least one. */
async function rowsFrom(queries: Queries, instanceId: string, from: number, limit: number): Promise<Row[]> {
  const rows = queries
    .selectFrom('workflow_journal')
    .where('instance_id', '=', instanceId)
    .where('seq', '>=', from)
    .orderBy('seq');
  const sizes = await rows
    .select(['seq', sql<number>`length(entry)`.as('characters')])
    .limit(limit)
    .execute();
  let characters = 0;
  const fits = sizes.filter(({ characters: more }, at) => (characters += more) <= AT_ONCE_CHARACTERS || at === 0);
  const last = fits.at(-1);
  if (!last) return [];
  return rows.select(['seq', 'at', 'type', 'entry']).where('seq', '<=', last.seq).execute();
}

/** Events of a journal up to a number, in order. TOO_LONG ends them: more than so many characters would be read. */
export async function* eventsUntil(
  queries: Queries,
  instanceId: string,
  until: number,
  mostCharacters: number,
): AsyncGenerator<EventEntry | 'TOO_LONG', void> {
  let characters = 0;
  for (let from = 0; from <= until;) {
    const rows = await rowsFrom(queries, instanceId, from, 500);
    const last = rows.at(-1);
    if (!last) return;
    for (const row of rows) {
      characters += row.entry.length;
      if (characters > mostCharacters) {
        yield 'TOO_LONG';
        return;
      }
      for (const entry of await entriesOf(row)) if (entry.type === 'event') yield entry;
    }
    from = last.seq + 1;
  }
}
