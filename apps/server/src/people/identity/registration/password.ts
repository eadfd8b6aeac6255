import type { Platform } from '../../../foundation/platform.ts';
import { hashPassword } from '../base/passwords.ts';
import { consumeToken, deleteSessionsOf, deleteTokensOf, updatePassword } from './queries.ts';
import { mailToken, subjectOfToken } from './tokens.ts';

/**
 * Sets the password of the person who has got a mail with this token, and ends all sessions of the person. Returns
 * false if the token is unknown, used or expired.
 */
export async function setPassword(platform: Platform, value: string, password: string): Promise<boolean> {
  const token = mailToken('SET_PASSWORD', value);
  // The token is checked first, because hashing is expensive.
  if (!token || (await subjectOfToken(platform, 'SET_PASSWORD', value)) === undefined) return false;
  const passwordHash = await hashPassword(password);
  return platform.database.write(async (transaction) => {
    const subject = await consumeToken(transaction, token, platform.now());
    if (subject === undefined || !(await updatePassword(transaction, subject, passwordHash))) return false;
    await deleteTokensOf(transaction, subject);
    await deleteSessionsOf(transaction, subject);
    return true;
  });
}
