import { audit, ownContext } from '../audit/index.ts';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import type { AccountServices } from './services.ts';
import { deleteAccessToken } from './queries.ts';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Deletes a token of the caller, whose next use is answered with 401. Throws 404 for a token of another user. */
export async function removeAccessToken({ platform }: AccountServices, person: Person, id: string): Promise<Answer> {
  const gone =
    UUID.test(id) &&
    (await platform.database.write(async (transaction) => {
      const deleted = await deleteAccessToken(transaction, person.id, id.toLowerCase());
      if (deleted) await audit(platform, transaction, ownContext(person.id), 'access-token:delete', id.toLowerCase());
      return deleted;
    }));
  if (!gone) throw new Problem('not-found', 'You have no access token of this id. GET /me/access-tokens lists yours.');
  return { status: 204 };
}
