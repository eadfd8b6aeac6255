import { CliFailure } from '../failures.ts';
import type { Session } from './session.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a user: `wanted` itself, or of the one person whom a search for it finds. */
export async function findUser(session: Session, wanted: string): Promise<string> {
  if (UUID.test(wanted)) return wanted;
  const found = await session.platform.searchUsers(wanted);
  const [only, ...others] = found;
  if (only && others.length === 0) return only.id;
  const people = found.map(({ id, firstname, lastname }) => `--user ${id}    (${firstname} ${lastname})`);
  throw new CliFailure(
    'notFound',
    'user-not-found',
    only ? `"${wanted}" is the name of ${found.length} users. Say which.` : `There is no user "${wanted}".`,
    people,
  );
}
