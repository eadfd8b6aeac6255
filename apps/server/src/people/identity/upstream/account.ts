import type { Platform } from '../../../foundation/platform.ts';
import { isDuplicate, type IdentityRow, type Queries, type SignInLinkRow } from '../../../foundation/storage/index.ts';
import { isBlocked } from '../identity-provider.ts';
import { NO_PASSWORD } from '../base/passwords.ts';
import { toIdentity } from '../base/queries.ts';
import type { UpstreamPerson } from './claims.ts';

export type UpstreamOutcome =
  | { readonly kind: 'SIGNED_IN'; readonly subject: string }
  /** `name` is the username of the account. */
  | { readonly kind: 'DISABLED' | 'REJECTED'; readonly name: string }
  | { readonly kind: 'NO_EMAIL' }
  | { readonly kind: 'UNVERIFIED_EMAIL' }
  | { readonly kind: 'REGISTRATION_CLOSED' }
  /** The verified address belongs to the account `holder`, which only its password opens. */
  | { readonly kind: 'KNOWN_EMAIL'; readonly holder: string };

/**
 * Attempts to create or find an account. One of several concurrent first sign-ins creates it; the others find it
 * then.
 */
const ROUNDS = 3;

/** Creates the account of a person who has signed in at the upstream provider for the first time, or updates it. */
export async function enter(platform: Platform, person: UpstreamPerson): Promise<UpstreamOutcome> {
  for (let round = 1; ; round++) {
    try {
      return await platform.database.write(async (transaction) => {
        const known = await findLinked(transaction, person.issuer, person.subject);
        return known ? update(transaction, known, person) : register(platform, transaction, person);
      });
    } catch (error) {
      if (!isDuplicate(error) || round === ROUNDS) throw error;
    }
  }
}

/** Updates the names from the provider, and the address if it is verified there and no other account has it. */
async function update(transaction: Queries, known: IdentityRow, person: UpstreamPerson): Promise<UpstreamOutcome> {
  if (isBlocked(toIdentity(known)))
    return { kind: known.enabled === 1 ? 'REJECTED' : 'DISABLED', name: known.username };
  const { email, emailVerified, names } = person;
  const follows =
    email !== null &&
    emailVerified &&
    (email !== known.email || known.email_verified !== 1) &&
    (await findHolders(transaction, email, known.id)).length === 0;
  const changed = {
    ...(names && (names.firstname !== known.firstname || names.lastname !== known.lastname) && names),
    ...(follows && { email, email_verified: 1 }),
    // A username that is the address changes with it: another person may get the former address.
    ...(follows && known.username === known.email && { username: email }),
  };
  if (Object.keys(changed).length > 0) await updateIdentity(transaction, known.id, changed);
  return { kind: 'SIGNED_IN', subject: known.id };
}

async function register(platform: Platform, transaction: Queries, person: UpstreamPerson): Promise<UpstreamOutcome> {
  const { issuer, subject, email, emailVerified, names } = person;
  if (email === null) return { kind: 'NO_EMAIL' };
  // Checked before any look-up: a person who only claims an address learns nothing about it.
  if (!emailVerified) return { kind: 'UNVERIFIED_EMAIL' };
  const [holder] = await findHolders(transaction, email);
  if (holder !== undefined) {
    // On PostgreSQL another first sign-in of this person may have committed since the link was read.
    const linked = await findLinked(transaction, issuer, subject);
    return linked ? update(transaction, linked, person) : { kind: 'KNOWN_EMAIL', holder };
  }
  const { registration } = platform.configuration;
  if (registration === 'closed') return { kind: 'REGISTRATION_CLOSED' };
  const now = platform.now();
  const username = await freeUsername(platform, transaction, person, email);
  const identity: IdentityRow = {
    id: platform.newId(),
    username,
    email,
    email_verified: 1,
    firstname: names?.firstname ?? username,
    lastname: names?.lastname ?? '',
    password_hash: NO_PASSWORD,
    status: registration === 'open' ? 'APPROVED' : 'PENDING',
    enabled: 1,
    created_at: now,
  };
  await transaction.insertInto('identities').values(identity).execute();
  // A plain insert, so that the second of two concurrent sign-ins fails and rolls back its account.
  await transaction
    .insertInto('sign_in_links')
    .values({ issuer, subject, identity_id: identity.id, created_at: now })
    .execute();
  return { kind: 'SIGNED_IN', subject: identity.id };
}

/**
 * The name that the provider suggests if it is free, else the address. Many providers let people choose that name, so
 * the name of an administrator is never taken from there.
 */
async function freeUsername(
  platform: Platform,
  transaction: Queries,
  { username }: UpstreamPerson,
  email: string,
): Promise<string> {
  if (username === null || platform.configuration.administrators.includes(username)) return email;
  return (await findHolders(transaction, username)).length === 0 ? username : email;
}

/** Links the subject to the account `identityId`, whose owner has just proved to be the same person. */
export async function link(
  platform: Platform,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  identityId: string,
): Promise<void> {
  await platform.database.write((transaction) =>
    insertLink(transaction, { issuer, subject, identity_id: identityId, created_at: platform.now() }),
  );
}

/** The identity to which this subject of an upstream provider is linked, or undefined. */
function findLinked(queries: Queries, issuer: string, subject: string): Promise<IdentityRow | undefined> {
  return queries
    .selectFrom('identities')
    .innerJoin('sign_in_links', 'sign_in_links.identity_id', 'identities.id')
    .selectAll('identities')
    .where('sign_in_links.issuer', '=', issuer)
    .where('sign_in_links.subject', '=', subject)
    .executeTakeFirst();
}

/** Links the subject to an identity, unless it is linked already. */
async function insertLink(transaction: Queries, link: SignInLinkRow): Promise<void> {
  await transaction
    .insertInto('sign_in_links')
    .values(link)
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .execute();
}

/** Ids of the people, except `except`, with this username or email address. */
async function findHolders(queries: Queries, name: string, except = ''): Promise<string[]> {
  const rows = await queries
    .selectFrom('identities')
    .select('id')
    .where((where) => where.or([where('username', '=', name), where('email', '=', name)]))
    .where('id', '!=', except)
    .execute();
  return rows.map(({ id }) => id);
}

async function updateIdentity(
  transaction: Queries,
  id: string,
  changed: Partial<Pick<IdentityRow, 'username' | 'email' | 'email_verified' | 'firstname' | 'lastname'>>,
): Promise<void> {
  await transaction.updateTable('identities').set(changed).where('id', '=', id).execute();
}
