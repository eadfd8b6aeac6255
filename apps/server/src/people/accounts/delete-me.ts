import type { Person } from '../../foundation/platform.ts';
import { recipientOf } from '../../foundation/mail/index.ts';
import type { AccountServices } from './services.ts';
import { beginDeletion } from './begin-deletion.ts';
import { finishDeletion } from './finish-deletion.ts';
import { findUser } from './queries.ts';

/** Deletes the account of the caller. A repeated call continues an interrupted deletion; afterwards it does nothing. */
export async function deleteMe(services: AccountServices, { id }: Person): Promise<void> {
  const deletion =
    (await services.findDeletion(id)) ?? (await beginDeletion(services, id, await recipientsOf(services, id)));
  if (deletion.ended_at === null) await finishDeletion(services, deletion);
}

/** The addresses under which mails may wait for this person: the current one, and the one of the last visit. */
async function recipientsOf({ platform, identity }: AccountServices, id: string): Promise<string[]> {
  const people = await Promise.all([identity.find(id), findUser(platform.database.read, id)]);
  const recipients = people.flatMap((person) => (person ? [recipientOf(platform.seal, person.email)] : []));
  return [...new Set(recipients)];
}
