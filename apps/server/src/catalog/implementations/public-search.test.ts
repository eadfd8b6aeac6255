import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases, type TestDatabase } from '../../testing/databases.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';
import { publicImplementations } from './public-search.ts';

const TEXTS = [
  'Übung mit Geräuschen', 'the SOLVER of a portfolio', 'annealing 50% off_x \\ back', '王国 of quantum', '"quoted" AND near*',
  'a', '', 'ends with qz', 'qzx in front',
]; // prettier-ignore
const NEEDLES = [
  'übung', 'ÜB', 'ü', 'Solver', 'solver of', 'zz', 'qz', 'QZ', 'z', 'q', 'a', ' a', '%', '_', '\\', '0%', 'f_x', '王', '王国', '国 of',
  '"', '"quoted"', 'AND near*', '*', 'nothing of this', 'repo-1', '-1', 'ab" OR "so', 'é', '\u{1f600}', '-17 ', 'rarest', 'FORMERLY', 'ly',
]; // prettier-ignore

describe.each(databases())('the search for public implementations on $name', ({ open }) => {
  let opened: TestDatabase;
  const rows: ImplementationRow[] = Array.from({ length: 6_000 }, (_none, at) => ({
    id: `i${String(at).padStart(6, '0')}`,
    owner_type: 'USER',
    owner_id: 'ada',
    name: `repo-${at}`,
    description: `${TEXTS[at % TEXTS.length] ?? ''}${at === 17 ? ' rarest' : ''}${at < 2_000 ? ' formerly' : ''}`,
    visibility: at % 5 === 0 ? 'PRIVATE' : 'PUBLIC',
    default_branch: 'main',
    head: null,
    buildable: null,
    bytes: at,
    pushed_at: null,
    created_at: at,
    revision: 1,
    read_only: null,
    protects_default: 1,
    protected_patterns: '[]',
  }));
  beforeAll(async () => {
    opened = await open();
    await opened.database.write(async (transaction) => {
      for (let from = 0; from < rows.length; from += 1_000)
        await transaction
          .insertInto('implementations')
          .values(rows.slice(from, from + 1_000))
          .execute();
    });
  });
  afterAll(() => opened.close());

  function expected(text: string): ImplementationRow[] {
    const contains = ({ name, description }: ImplementationRow) =>
      `${name} ${description}`.toLowerCase().includes(text.toLowerCase());
    return rows.filter((row) => row.visibility === 'PUBLIC' && contains(row)).toReversed();
  }

  test.each(NEEDLES)('finds all that contain %j, page by page', async (text) => {
    const all = expected(text);
    // Frequent texts take some pages, rare ones small pages.
    const limit = all.length > 100 ? 700 : 7;
    const found: ImplementationRow[] = [];
    for (let cursor: string | null = null; ; cursor = found.at(-1)?.id ?? null) {
      const page = await publicImplementations(opened.database, text, cursor, limit);
      found.push(...page);
      if (page.length < limit) break;
    }
    expect(found).toEqual(all);
  });

  test('follows changes of name, description and visibility, and deletions, also of the end of a page', async () => {
    const { database } = opened;
    const idsOf = async (text: string, cursor: string | null = null) =>
      (await publicImplementations(database, text, cursor, 3)).map(({ id }) => id);
    const change = (id: string, values: Partial<ImplementationRow>) =>
      database.write((transaction) =>
        transaction.updateTable('implementations').set(values).where('id', '=', id).execute(),
      );
    await change('i000001', { description: 'Xylophone' });
    await change('i000005', { description: 'xylophone' });
    await change('i000007', { name: 'xylophone-7' });
    await change('i000009', { description: 'a xylophone' });
    expect(await idsOf('XYLO')).toEqual(['i000009', 'i000007', 'i000001']);
    await change('i000005', { visibility: 'PUBLIC' });
    expect(await idsOf('xylo', 'i000009')).toEqual(['i000007', 'i000005', 'i000001']);
    await change('i000009', { visibility: 'PRIVATE' });
    expect(await idsOf('xy')).toEqual(['i000007', 'i000005', 'i000001']);
    await database.write((transaction) =>
      transaction.deleteFrom('implementations').where('id', '=', 'i000007').execute(),
    );
    expect(await idsOf('xylophone')).toEqual(['i000005', 'i000001']);
    expect(await idsOf('xylophone', 'i000007')).toEqual(['i000005', 'i000001']);
    await change('i000001', { description: 'piano' });
    await change('i000005', { description: 'piano' });
    for (const text of ['xylophone', 'xy', 'XYLO']) expect(await idsOf(text)).toEqual([]);
  });
});
