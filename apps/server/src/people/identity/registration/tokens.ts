import { randomBytes } from 'node:crypto';
import type { Platform } from '../../../foundation/platform.ts';
import { digestOf, type MailTokenRow, type Queries } from '../../../foundation/storage/index.ts';
import { findSubjectOfToken, insertMailToken } from './queries.ts';

export type MailTokenPurpose = MailTokenRow['purpose'];

const HOUR_MS = 60 * 60 * 1000;
export const VERIFY_MS = 24 * HOUR_MS;
export const SET_PASSWORD_MS = HOUR_MS;
/** Longer than SET_PASSWORD_MS: an administrator may not read the first mail within the hour. */
export const INVITATION_MS = 24 * HOUR_MS;

/** Hexadecimal, 160 random bits: no mail program takes a part of it for punctuation after the link. */
const FORM = /^[0-9a-f]{40}$/;

/** Makes a token that is good for one use until `expiresAt`; only its digest is kept. */
export async function createMailToken(
  transaction: Queries,
  token: { readonly purpose: MailTokenPurpose; readonly subject: string; readonly expiresAt: number },
): Promise<string> {
  const value = randomBytes(20).toString('hex');
  const { purpose, subject, expiresAt } = token;
  await insertMailToken(transaction, { digest: digestOf(value), purpose, subject, expires_at: expiresAt });
  return value;
}

/** The key under which a value from a request is looked up; null when it cannot be a token. */
export function mailToken(
  purpose: MailTokenPurpose,
  value: string,
): { digest: string; purpose: MailTokenPurpose } | null {
  return FORM.test(value) ? { digest: digestOf(value), purpose } : null;
}

/** The subject of a token. Does not use the token up: mail programs follow links on their own. */
export async function subjectOfToken(
  { database, now }: Platform,
  purpose: MailTokenPurpose,
  value: string,
): Promise<string | undefined> {
  const token = mailToken(purpose, value);
  return token ? findSubjectOfToken(database.read, token, now()) : undefined;
}
