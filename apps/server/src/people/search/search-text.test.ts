import { describe, expect, test } from 'vitest';
import { beginningOfName, foldCase, searchTextOf } from './search-text.ts';

describe('texts that differ only in case fold to one', () => {
  test.each([
    ['Straße', 'STRASSE'],
    ['Strauß', 'STRAUẞ'],
    ['ŁUKASZ', 'łukasz'],
    ['Ναυσικᾶς', 'ΝΑΥΣΙΚΑ͂Σ'],
    ['Zoe\u0308', 'ZO\u00CB'],
    ['Дарья', 'ДАРЬЯ'],
    ['ﬁona', 'FIONA'],
  ])('%s and %s', (a, b) => expect(foldCase(a)).toBe(foldCase(b)));
});

test('every letter folds as its upper and its lower case do', () => {
  const apart: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    const folded = foldCase(letter);
    if ([letter.toUpperCase(), letter.toLowerCase()].some((other) => foldCase(other) !== folded)) apart.push(letter);
    if (foldCase(folded) !== folded) apart.push(letter);
  }
  expect(apart).toEqual([]);
});

test('the end of a word folds as its inside does', () => {
  expect(foldCase('ΟΔΟΣΑ')).toContain(foldCase('ΟΔΟΣ'));
});

test('accents are no differences of case', () => {
  expect(foldCase('é')).not.toBe(foldCase('e'));
});

describe('the text that names are found in', () => {
  const names = { username: 'ada@example.org', firstname: 'Ada', lastname: 'King' };

  test('holds the part of an e-mail address before the @, not the address', () => {
    expect(searchTextOf(names)).toContain(beginningOfName('ada'));
    expect(searchTextOf(names)).not.toMatch(/@|example/);
  });

  test('fits into an index of PostgreSQL however long the names are', () => {
    const long = '\u1F52'.repeat(5_000);
    const text = searchTextOf({ username: long, firstname: long, lastname: long });
    expect(Buffer.byteLength(text)).toBeLessThan(2_500);
  });

  test('a name cannot bring a separator along', () => {
    expect(searchTextOf({ ...names, lastname: 'a\u001Fb' })).toBe(searchTextOf({ ...names, lastname: 'A B' }));
  });
});
