import type { Platform } from '../../../foundation/platform.ts';
import { findPerson } from '../registration/queries.ts';
import type { NoticeFor } from '../base/interaction.ts';

/** Tells people who sign in how far their registration is, as long as nothing else opens to them. */
export function createNotices({ database }: Platform): NoticeFor {
  return async (subject) => {
    const person = await findPerson(database.read, subject);
    if (person && !person.emailVerified)
      return 'Your e-mail address is not confirmed yet. Open the link in the mail that you got when you registered; until then you can do nothing here.';
    if (person?.status === 'PENDING')
      return 'Your registration waits for the approval of an administrator. You get a mail when it is decided; until then you can do nothing here.';
    return null;
  };
}
