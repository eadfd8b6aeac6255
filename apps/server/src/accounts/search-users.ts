import { limits, type UserSearchDto } from '@kethub/contract';
import { Problem, type Answer } from '../http/index.ts';
import { beginningOfName, foldCase, isInNoName, searchTextOf } from '../storage/index.ts';
import type { AccountServices } from './accounts.ts';
import { userOverview } from './present.ts';
import { findInBlocks, findUsersOfMarks } from './search-queries.ts';

/** Of so many at once it is asked whether they are approved: few are not any more. */
const ASKED_AT_ONCE = 2 * limits.searchedUsers;
/** Of more it is not asked in one search: an external identity provider answers for each on its own. */
const MOST_ASKED = 50 * limits.searchedUsers;

/**
 * The approved users whose first name, last name or username holds `q`, best match first: at the beginning of a name
 * before inside one, then by last name and first name. Searches the users of this service, those who have been here
 * once; an external identity provider could not search as the interface asks for.
 */
export async function searchUsers(services: AccountServices, q: string): Promise<Answer> {
  if (q.includes('\0')) throw new Problem('invalid-request', 'The query q must not hold the character U+0000.');
  const folded = foldCase(q);
  const users: UserSearchDto[] = [];
  let asked = 0;
  for await (const marks of isInNoName(folded) ? [] : matches(services, folded)) {
    users.push(...(await approvedOf(services, marks, folded)));
    asked += marks.length;
    if (users.length >= limits.searchedUsers || asked >= MOST_ASKED) break;
  }
  return { status: 200, body: users.slice(0, limits.searchedUsers) };
}

/** Marks of the users with a match, the best first, some at a time. */
async function* matches({ platform }: AccountServices, folded: string): AsyncGenerator<string[]> {
  const beginning = beginningOfName(folded);
  for (const place of ['BEGINNING', 'INSIDE'] as const) {
    const needle = place === 'BEGINNING' ? beginning : folded;
    for await (const entries of findInBlocks(platform.database, needle)) {
      const marks = entries
        .filter(({ text }) => text.includes(needle) && (place === 'BEGINNING' || !text.includes(beginning)))
        .map(({ mark }) => mark);
      for (let from = 0; from < marks.length; from += ASKED_AT_ONCE) yield marks.slice(from, from + ASKED_AT_ONCE);
    }
  }
}

async function approvedOf(
  { platform, identity }: AccountServices,
  marks: readonly string[],
  folded: string,
): Promise<UserSearchDto[]> {
  const ids = await findUsersOfMarks(platform.database, marks);
  const known = marks.map((mark) => ids.get(mark)).filter((id) => id !== undefined);
  const people = await identity.findApproved(known);
  return (
    people
      .filter((person) => person !== null)
      // The name may have changed at the identity provider since the user was here.
      .filter((person) => searchTextOf(person).includes(folded))
      .map(userOverview)
  );
}
