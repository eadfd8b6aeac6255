import { limits, type UserSearchDto } from '@kethub/contract';
import { Problem, type Answer } from '../http/index.ts';
import { crossesNames, foldCase, searchTextOf, type Database } from '../storage/index.ts';
import type { AccountServices } from './accounts.ts';
import { findAllApproved } from './approved-users.ts';
import { userOverview } from './present.ts';
import { findByNames, type PlaceInName } from './search-queries.ts';

/** More than are shown, because some may not be approved any more. */
const PAGE = 2 * limits.searchedUsers;

/**
 * The approved users whose first name, last name or username holds `q`, best match first: at the beginning of a name
 * before inside one, then by last name and first name. Searches the users of this service, those who have been here
 * once; an external identity provider could not search as the interface asks for.
 */
export async function searchUsers({ platform, identity }: AccountServices, q: string): Promise<Answer> {
  if (q.includes('\0')) throw new Problem('invalid-request', 'The query q must not hold the character U+0000.');
  const folded = foldCase(q);
  const users: UserSearchDto[] = [];
  for await (const ids of crossesNames(q) ? [] : pages(platform.database, folded)) {
    for (const user of await findAllApproved(identity, ids)) {
      // The name may have changed at the identity provider since the user was here.
      if (user && searchTextOf(user).includes(folded)) users.push(userOverview(user));
    }
    if (users.length >= limits.searchedUsers) break;
  }
  return { status: 200, body: users.slice(0, limits.searchedUsers) };
}

async function* pages(database: Database, folded: string): AsyncGenerator<string[]> {
  const places: readonly PlaceInName[] = ['BEGINNING', 'INSIDE'];
  for (const place of places) {
    for (let offset = 0; ; offset += PAGE) {
      const ids = await findByNames(database, folded, place, { limit: PAGE, offset });
      yield ids;
      if (ids.length < PAGE) break;
    }
  }
}
