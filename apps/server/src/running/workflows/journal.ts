import { jsonText, type JournalEntry } from '@kethub/workflow';
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

/** Up to `limit` entries of a journal after the one with the number `after`, in order. */
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
  const rows = await queries
    .selectFrom('workflow_journal')
    .select(['seq', 'at', 'type', 'entry'])
    .where('instance_id', '=', instanceId)
    .where('seq', '>=', before?.seq ?? after)
    .orderBy('seq')
    .limit(limit + 1)
    .execute();
  const entries: JournalEntry[] = [];
  for (const row of rows) entries.push(...(await entriesOf(row)));
  return entries.filter(({ seq }) => seq > after).slice(0, limit);
}
