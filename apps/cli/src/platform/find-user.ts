import type { UserSearchDto } from '@kethub/contract';
import { CliFailure } from '../failures.ts';
import type { Session } from './session.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Finds the id of a user: `wanted` itself, or that of the only person whom a search finds. A name is first and last
 * name in either order, or a part of one. A match of the whole name precedes partial matches.
 */
export async function findUser(session: Session, wanted: string): Promise<string> {
  if (UUID.test(wanted)) return wanted;
  const found = await search(session, wanted);
  const exact = found.filter((user) => namesOf(user).includes(folded(wanted)));
  const [only, ...others] = exact.length === 1 ? exact : found;
  if (only && others.length === 0) return only.id;
  const people = found.map(({ id, firstname, lastname }) => `--user ${id}    (${firstname} ${lastname})`);
  throw new CliFailure(
    'notFound',
    'user-not-found',
    only ? `"${wanted}" is the name of ${found.length} users. Say which.` : `There is no user "${wanted}".`,
    people,
  );
}

/** Searches for the whole text, and if that finds nobody, for its longest word. */
async function search({ platform }: Session, wanted: string): Promise<UserSearchDto[]> {
  const found = await platform.searchUsers({ q: wanted });
  const words = folded(wanted).split(' ');
  if (found.length > 0 || words.length === 1) return found;
  const [longest = ''] = words.toSorted((a, b) => b.length - a.length);
  const some = await platform.searchUsers({ q: longest });
  return some.filter((user) => words.every((word) => namesOf(user).some((name) => name.includes(word))));
}

function namesOf({ firstname, lastname }: UserSearchDto): string[] {
  return [`${firstname} ${lastname}`, `${lastname} ${firstname}`].map(folded);
}

function folded(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s,]+/g, ' ');
}
