import { limits, type UserSearchDto } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import { beginningOfName, foldCase, isInNoName, searchTextOf, wordsOf } from '../search/index.ts';
import type { AccountServices } from './services.ts';
import { userOverview } from './present.ts';
import { updateSearch } from './search-changes.ts';
import { findInBlocks, findUsersOfMarks } from './search-queries.ts';

/** People whose approval is checked in one call; nearly all are approved. */
const CHECKED_AT_ONCE = 2 * limits.searchedUsers;
/** Queued people whom a search adds before it answers; the maintenance adds the others. */
const CHANGES_AT_ONCE = 20;
/** Most people whose approval a search checks; then it answers with those found so far. */
const MOST_CHECKED = 50 * limits.searchedUsers;

/** One rank of matches: the index looks up `needle`, and `fits` checks each candidate. */
interface Rank {
  readonly needle: string;
  readonly fits: (text: string) => boolean;
}

/**
 * The approved users whose first name, last name or username contains each word of `q`, best match first. Names that
 * begin with all of `q` come first, then names that begin with its words, then the others. Each group is sorted by last
 * name and first name. An external identity provider cannot search in this way, so its people are copied.
 */
export async function searchUsers(services: AccountServices, q: string): Promise<UserSearchDto[]> {
  if (q.includes('\0')) throw new Problem('invalid-request', 'The query q must not hold the character U+0000.');
  const folded = foldCase(q);
  const words = wordsOf(folded);
  await updateSearch(services, CHANGES_AT_ONCE);
  const users: UserSearchDto[] = [];
  let asked = 0;
  for await (const marks of isInNoName(words) ? [] : matches(services, ranksOf(folded, words))) {
    users.push(...(await approvedOf(services, marks, words)));
    asked += marks.length;
    if (users.length >= limits.searchedUsers || asked >= MOST_CHECKED) break;
  }
  return users.slice(0, limits.searchedUsers);
}

/** The ranks of a query, the best first. */
function ranksOf(folded: string, words: readonly string[]): Rank[] {
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? folded;
  const whole = beginningOfName(folded.trim() === '' ? folded : folded.trim());
  const begins = { needle: whole, fits: (text: string) => text.includes(whole) };
  const apart = {
    needle: beginningOfName(longest),
    fits: (text: string) => words.every((word) => text.includes(beginningOfName(word))),
  };
  const inside = { needle: longest, fits: (text: string) => containsAll(text, words) };
  return words.length > 1 ? [begins, apart, inside] : [begins, inside];
}

function containsAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** Marks of the users with a match, best first, in portions. */
async function* matches({ platform }: AccountServices, ranks: readonly Rank[]): AsyncGenerator<string[]> {
  for (const [index, { needle, fits }] of ranks.entries()) {
    const better = ranks.slice(0, index);
    for await (const entries of findInBlocks(platform.database, needle)) {
      const marks = entries
        .filter(({ text }) => fits(text) && !better.some((rank) => rank.fits(text)))
        .map(({ mark }) => mark);
      for (let from = 0; from < marks.length; from += CHECKED_AT_ONCE) yield marks.slice(from, from + CHECKED_AT_ONCE);
    }
  }
}

async function approvedOf(
  { platform, identity }: AccountServices,
  marks: readonly string[],
  words: readonly string[],
): Promise<UserSearchDto[]> {
  const ids = await findUsersOfMarks(platform.database, marks);
  const known = marks.map((mark) => ids.get(mark)).filter((id) => id !== undefined);
  const people = await identity.findApproved(known);
  return (
    people
      .filter((person) => person !== null)
      // The name may have changed at the identity provider since it was added to the search.
      .filter((person) => containsAll(searchTextOf(person), words))
      .map(userOverview)
  );
}
