import { randomBytes } from 'node:crypto';
import type { Mailer } from '../../../foundation/mail/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { isDuplicate } from '../../../foundation/storage/index.ts';
import { hashPassword } from '../base/passwords.ts';
import { findForSignIn } from '../base/queries.ts';
import { emailError } from './fields.ts';
import { invitationMail } from './mails.ts';
import { createMailToken, INVITATION_MS } from './tokens.ts';

/**
 * Creates an approved account for each administrator in the settings who is named by an email address and has none. Its
 * password is random; a mail has a link to choose one.
 */
export async function inviteAdministrators(platform: Platform, mailer: Mailer): Promise<void> {
  for (const name of platform.configuration.administrators) {
    if (emailError(name) !== null) continue;
    if (await findForSignIn(platform.database.read, name)) continue;
    try {
      await invite(platform, mailer, name);
    } catch (error) {
      // Another process that starts at the same time has created the account.
      if (!isDuplicate(error)) throw error;
    }
  }
  mailer.wake();
}

async function invite(platform: Platform, mailer: Mailer, email: string): Promise<void> {
  const id = platform.newId();
  const now = platform.now();
  const expiresAt = now + INVITATION_MS;
  const { auth } = platform.addresses;
  const password_hash = await hashPassword(randomBytes(32).toString('base64url'));
  await platform.database.write(async (transaction) => {
    await transaction
      .insertInto('identities')
      .values({
        id,
        username: email,
        email,
        email_verified: 1,
        ...namesOf(email),
        password_hash,
        status: 'APPROVED',
        enabled: 1,
        created_at: now,
      })
      .execute();
    const token = await createMailToken(transaction, { purpose: 'SET_PASSWORD', subject: id, expiresAt });
    const mail = invitationMail(`${auth}/password/${token}`, `${auth}/forgot-password`);
    await mailer.post(transaction, { to: email, ...mail }, expiresAt);
  });
  platform.log.info({ subject: id }, 'an administrator was added, and a mail to choose the password');
}

/** Derives a first and last name from an address: ada.lovelace@example.org is Ada Lovelace. */
function namesOf(email: string): { firstname: string; lastname: string } {
  const words = (email.split('@')[0] ?? '').split(/[._+-]+/).filter(Boolean);
  const [firstname = '', ...rest] = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return { firstname, lastname: rest.join(' ') };
}
