import type { Platform } from '../../../foundation/platform.ts';
import type { NoticeFor } from '../base/interaction.ts';
import { noticeOf } from '../base/notice.ts';
import { findPerson } from '../registration/queries.ts';

/** Notices about the progress of a registration, for people whose account has no access yet. */
export function createNotices({ database }: Platform): NoticeFor {
  return async (subject) => {
    const person = await findPerson(database.read, subject);
    return person && noticeOf(person);
  };
}
