import type { Mailer } from '../../../foundation/mail/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { Queries } from '../../../foundation/storage/index.ts';
import { hashPassword } from '../base/passwords.ts';
import { findForSignIn } from '../base/queries.ts';
import type { NewRegistration } from './fields.ts';
import type { MailAllowance, MailLimits } from './limits.ts';
import { knownAddressMail, setPasswordMail, unknownAddressMail, verifyMail } from './mails.ts';
import { deleteRegistrationsUntil, deleteTokensUntil, findNewestRegistration, insertRegistration } from './queries.ts';
import { createMailToken, SET_PASSWORD_MS, VERIFY_MS } from './tokens.ts';

/** Milliseconds after which a registration without confirmation is deleted. */
const KEEP_UNVERIFIED_MS = 7 * 24 * 60 * 60 * 1000;

/** The services that registration uses. */
export interface RegistrationServices {
  readonly platform: Platform;
  readonly mailer: Mailer;
  readonly limits: MailLimits;
}

/** The outcome that the person sees. It does not reveal whether the address is known. */
export type MailOutcome =
  | { readonly kind: 'CHECK_MAIL' }
  | { readonly kind: 'USERNAME_TAKEN' }
  | { readonly kind: 'TOO_MANY'; readonly retryAfter: number };

/**
 * Registers a person and sends the mail that confirms the address. A known address gets the same treatment, down to
 * the row. Only its mail differs: it says that there is an account, and has no link to confirm. So neither the
 * answer, nor its time, nor signing in afterwards reveals whether an address is known.
 */
export async function register(
  services: RegistrationServices,
  registration: NewRegistration,
  from: string,
): Promise<MailOutcome> {
  const { platform, mailer, limits } = services;
  const { password, ...person } = registration;
  const { read } = platform.database;
  if (person.username !== person.email && (await isTaken(platform, read, person.username))) {
    return { kind: 'USERNAME_TAKEN' };
  }
  const allowance = limits.take(person.email, from);
  if (allowance.kind === 'REFUSED') return tooMany(allowance);
  const password_hash = await hashPassword(password);
  if (allowance.kind === 'ENOUGH') return { kind: 'CHECK_MAIL' };
  const id = platform.newId();
  const now = platform.now();
  const expiresAt = now + VERIFY_MS;
  await platform.database.write(async (transaction) => {
    const known = await isTaken(platform, transaction, person.email);
    await insertRegistration(transaction, { id, ...person, password_hash, created_at: now });
    const token = await createMailToken(transaction, { purpose: 'VERIFY_EMAIL', subject: id, expiresAt });
    const mail = known ? knownAddress(platform) : verifyMail(`${platform.addresses.auth}/verify/${token}`);
    await mailer.post(transaction, { to: person.email, ...mail }, expiresAt);
  });
  mailer.wake();
  return { kind: 'CHECK_MAIL' };
}

/** Sends another mail that confirms the newest registration of this address. Earlier links stay valid. */
export function sendAgain(services: RegistrationServices, email: string, from: string): Promise<MailOutcome> {
  const { platform } = services;
  return sendTo(services, email, from, async (transaction, expiresAt) => {
    if (await isTaken(platform, transaction, email)) return knownAddress(platform);
    const registration = await findNewestRegistration(transaction, email);
    if (!registration) return unknownAddressMail(siteOf(platform));
    const { id: subject } = registration;
    const token = await createMailToken(transaction, { purpose: 'VERIFY_EMAIL', subject, expiresAt });
    return verifyMail(`${platform.addresses.auth}/verify/${token}`);
  });
}

/** Sends a mail with which the owner of this address can choose a new password. */
export function forgotPassword(services: RegistrationServices, email: string, from: string): Promise<MailOutcome> {
  const { platform } = services;
  return sendTo(services, email, from, async (transaction) => {
    const identity = await findForSignIn(transaction, email);
    // Another person may have this address as username, so the address of the account is compared.
    if (identity?.email !== email) return unknownAddressMail(siteOf(platform));
    const expiresAt = platform.now() + SET_PASSWORD_MS;
    const token = await createMailToken(transaction, { purpose: 'SET_PASSWORD', subject: identity.id, expiresAt });
    return setPasswordMail(`${platform.addresses.auth}/password/${token}`);
  });
}

/** Returns whether an account has this username or address, or an administrator in the settings will have it. */
export async function isTaken({ configuration }: Platform, queries: Queries, name: string): Promise<boolean> {
  const taken = await findForSignIn(queries, name);
  return taken !== null || configuration.administrators.includes(name);
}

/** Deletes old registrations without confirmation, and expired tokens. */
export async function purgeRegistrations({ database, now }: Platform): Promise<void> {
  await database.write(async (transaction) => {
    await deleteRegistrationsUntil(transaction, now() - KEEP_UNVERIFIED_MS);
    await deleteTokensUntil(transaction, now());
  });
}

/** Sends exactly one mail in all cases, so that the time of the answer reveals nothing. */
async function sendTo(
  { platform, mailer, limits }: RegistrationServices,
  email: string,
  from: string,
  write: (transaction: Queries, expiresAt: number) => Promise<{ subject: string; text: string }>,
): Promise<MailOutcome> {
  const allowance = limits.take(email, from);
  if (allowance.kind === 'REFUSED') return tooMany(allowance);
  if (allowance.kind === 'ENOUGH') return { kind: 'CHECK_MAIL' };
  const expiresAt = platform.now() + VERIFY_MS;
  await platform.database.write(async (transaction) => {
    await mailer.post(transaction, { to: email, ...(await write(transaction, expiresAt)) }, expiresAt);
  });
  mailer.wake();
  return { kind: 'CHECK_MAIL' };
}

function tooMany({ retryAfter }: Extract<MailAllowance, { kind: 'REFUSED' }>): MailOutcome {
  return { kind: 'TOO_MANY', retryAfter };
}

function knownAddress(platform: Platform): { subject: string; text: string } {
  return knownAddressMail(siteOf(platform), `${platform.addresses.auth}/forgot-password`);
}

/** The address of the first page. */
function siteOf({ addresses }: Platform): string {
  return `${new URL(addresses.api).origin}/`;
}
