import { randomBytes } from 'node:crypto';
import type { Platform } from '../../../foundation/platform.ts';
import { digestOf, type MailTokenRow, type Queries } from '../../../foundation/storage/index.ts';
import { findSubjectOfToken, insertMailToken } from './queries.ts';

type MailTokenPurpose = MailTokenRow['purpose'];

const HOUR_MS = 60 * 60 * 1000;
/** Milliseconds after which a link that confirms an address expires. */
export const VERIFY_MS = 24 * HOUR_MS;
/** Milliseconds after which a link that sets a password expires. */
export const SET_PASSWORD_MS = HOUR_MS;
/** Milliseconds after which an invitation expires. An administrator may not read the first mail within an hour. */
export const INVITATION_MS = 24 * HOUR_MS;

/** 160 random bits in hexadecimal, which no mail program mistakes for punctuation after the link. */
const FORM = /^[0-9a-f]{40}$/;

/** Creates a token that can be used once until `expiresAt`. Only its digest is stored. */
export async function createMailToken(
  transaction: Queries,
  token: { readonly purpose: MailTokenPurpose; readonly subject: string; readonly expiresAt: number },
): Promise<string> {
  const value = randomBytes(20).toString('hex');
  const { purpose, subject, expiresAt } = token;
  await insertMailToken(transaction, { digest: digestOf(value), purpose, subject, expires_at: expiresAt });
  return value;
}

/** The key by which a value from a request is looked up; null if it cannot be a token. */
export function mailToken(
  purpose: MailTokenPurpose,
  value: string,
): { digest: string; purpose: MailTokenPurpose } | null {
  return FORM.test(value) ? { digest: digestOf(value), purpose } : null;
}

/** The subject of a token. The token stays valid, because mail programs follow links on their own. */
export async function subjectOfToken(
  { database, now }: Platform,
  purpose: MailTokenPurpose,
  value: string,
): Promise<string | undefined> {
  const token = mailToken(purpose, value);
  return token ? findSubjectOfToken(database.read, token, now()) : undefined;
}
