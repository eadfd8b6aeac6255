import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertMany } from '../../foundation/storage/index.ts';
import { beginningOfName, fillSearch, foldCase, lockSearch, putIntoSearch, searchTextOf } from '../search/index.ts';
import { databases, type TestDatabase } from '../../testing/databases.ts';
import type { AccountServices } from './services.ts';
import { searchUsers } from './search-users.ts';

interface Person {
  readonly id: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly username: string;
}

/** Few letters, so that everything is found often; signs that SQL takes for its own, and letters of 1 to 4 bytes. */
const LETTERS = Array.from('aaaabbnn%_\\\'"*-. éßÖ王\u{20000}\u{1F98A}\uFF5Aσς');
const RARE = 400;
/** Users whose blocks are more than a search goes through before it asks the index. */
const PEOPLE = 11_000;
const CHANGED = 400;
const PROFILE_COLUMNS = ['email', 'created_at', 'updated_at'] as const;
const PROFILE = {
  email: 'bab@bab.example',
  current_position: null,
  homepage: null,
  about: null,
  created_at: 0,
  updated_at: 0,
};

describe.each(databases())('search on $name', ({ open }) => {
  let opened: TestDatabase;
  const people = new Map<string, Person>();
  const approved = new Set<string>();
  const random = randomOf(7);
  const pick = <T>(from: readonly T[]): T => {
    const one = from[Math.floor(random() * from.length)];
    if (one === undefined) throw new Error('Nothing to pick from');
    return one;
  };
  const text = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () =>
      random() < 0.1 ? String.fromCodePoint(0x4e00 + Math.floor(random() * RARE)) : pick(LETTERS),
    ).join('');
  const personOf = (id: string): Person => ({
    id,
    firstname: random() < 0.5 ? pick(['Anna', 'Bab', 'anaba', '']) : text(6),
    lastname: random() < 0.5 ? pick(['Banane', 'Nab_', 'ÖBA', 'aß']) : text(6),
    username: random() < 0.002 ? text(400) : `${text(8)}@bab.example`,
  });

  async function put(person: Person): Promise<void> {
    await opened.database.write(async (transaction) => {
      await lockSearch(transaction);
      await transaction
        .insertInto('users')
        .values({ ...person, ...PROFILE })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      await putIntoSearch(transaction, person.id, searchTextOf(person));
    });
    people.set(person.id, person);
  }

  beforeAll(async () => {
    opened = await open();
    for (let number = 0; number < PEOPLE; number += 1) {
      const person = personOf(`person-${number}`);
      people.set(person.id, person);
      if (random() < 0.1) approved.add(person.id);
    }
    const rows = Array.from(people.values(), (person) => ({ ...person, ...PROFILE }));
    await opened.database.write(async (transaction) => {
      await insertMany(transaction, 'users', ['id', 'firstname', 'lastname', 'username', ...PROFILE_COLUMNS], rows);
      await fillSearch(
        transaction,
        rows.map((person) => ({ id: person.id, search_text: searchTextOf(person) })),
      );
    });
  }, 240_000);
  afterAll(() => opened.close());

  async function found(q: string): Promise<string[]> {
    const findApproved = (ids: readonly string[]) =>
      Promise.resolve(ids.map((id) => (approved.has(id) ? (people.get(id) ?? null) : null)));
    const services = { platform: opened, identity: { findApproved } } as unknown as AccountServices;
    // Those with the same names come in any order.
    return (await searchUsers(services, q)).map(({ id }) => keyOf(people.get(id), q));
  }

  const texts = new Map<Person, string>();
  const textOf = (person: Person): string => {
    const known = texts.get(person) ?? searchTextOf(person);
    texts.set(person, known);
    return known;
  };

  /** The result by the specification, computed over all people. */
  function expected(q: string): string[] {
    return [...people.values()]
      .filter((person) => approved.has(person.id) && wordsIn(q).every((word) => textOf(person).includes(word)))
      .map((person) => keyOf(person, q))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .slice(0, 20);
  }

  function keyOf(person: Person | undefined, q: string): string {
    if (!person) return 'nobody';
    const names = textOf(person);
    if (names.includes(beginningOfName(foldCase(q).trim() || foldCase(q)))) return `0${names}`;
    return (wordsIn(q).every((word) => names.includes(beginningOfName(word))) ? '1' : '2') + names;
  }

  /** Each has to be in a name; blanks alone are looked for as they are. */
  function wordsIn(q: string): string[] {
    const words = foldCase(q).split(' ').filter(Boolean);
    return words.length === 0 ? [foldCase(q)] : words;
  }

  async function expectAgreement(): Promise<void> {
    const rare = [
      '%',
      '_',
      '\\',
      "'",
      '王',
      '\u{1F98A}',
      'ü',
      'q',
      'anna',
      'BANANE',
      'bab.example',
      'nabnabnab',
      'ana',
    ];
    for (const q of [...rare, ...Array.from({ length: 120 }, () => text(pick([1, 2, 3, 4, 8])))]) {
      if (foldCase(q) === '') continue;
      expect([q, await found(q)]).toEqual([q, expected(q)]);
    }
  }

  test('finds what a look at every user finds, in the same order', expectAgreement, 240_000);

  test('and after users were renamed and deleted, and others have come', async () => {
    for (let number = 0; number < CHANGED; number += 1) {
      const id = `person-${Math.floor(random() * PEOPLE)}`;
      const fate = random();
      if (fate < 0.3) await put(personOf(id));
      else if (fate < 0.6) {
        await opened.database.write((transaction) => transaction.deleteFrom('users').where('id', '=', id).execute());
        people.delete(id);
      } else if (fate < 0.7) await put(personOf(`newcomer-${number}`));
      if (random() < 0.3) approved.add(`newcomer-${number}`);
    }
    await expectAgreement();
  }, 240_000);

  test('and nothing is left of who was deleted', async () => {
    const { read } = opened.database;
    await opened.database.write((transaction) => transaction.deleteFrom('users').execute());
    expect(await read.selectFrom('user_search').selectAll().execute()).toEqual([]);
    const blocks = await read.selectFrom('user_search_blocks').select('entries').execute();
    expect(blocks.length).toBeGreaterThan(PEOPLE / 40);
    expect(blocks.every(({ entries }) => entries === '')).toBe(true);
  });
});

/** The same numbers from 0 to 1 in every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
