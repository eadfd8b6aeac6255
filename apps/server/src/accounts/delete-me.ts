import type { Answer } from '../http/index.ts';
import type { Person } from '../platform.ts';
import type { AccountServices } from './accounts.ts';
import { beginDeletion } from './begin-deletion.ts';
import { finishDeletion } from './finish-deletion.ts';

/** Deletes the account of the caller. Repeated, it goes on where it was cut off; when all is done it does nothing. */
export async function deleteMe(services: AccountServices, { id }: Person): Promise<Answer> {
  const deletion = (await services.findDeletion(id)) ?? (await beginDeletion(services, id));
  if (deletion.ended_at === null) await finishDeletion(services, deletion);
  return { status: 204 };
}
