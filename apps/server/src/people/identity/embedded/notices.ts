import type { Platform } from '../../../foundation/platform.ts';
import type { NoticeFor } from '../base/interaction.ts';
import { noticeOf } from '../base/notice.ts';
import { findPerson } from '../registration/queries.ts';

/** Tells people who sign in how far their registration is, as long as nothing else opens to them. */
export function createNotices({ database }: Platform): NoticeFor {
  return async (subject) => {
    const person = await findPerson(database.read, subject);
    return person && noticeOf(person);
  };
}
