import type { UpdateUserRequest, UserDto } from '@kethub/contract';
import { lockAccountShared } from '../deletions/index.ts';
import { etag, requireMatch, type Tagged } from '../../foundation/http/index.ts';
import type { Person } from '../../foundation/platform.ts';
import { digestOf, type UserRow } from '../../foundation/storage/index.ts';
import type { AccountServices } from './services.ts';
import { notAuthenticated } from './credentials.ts';
import { userDto } from './present.ts';
import { findUser, upsertUser, lockUser, updateProfile } from './queries.ts';
import { invalid } from './invalid.ts';

/** The profile of the caller; the first call creates the record. */
export async function readMe(services: AccountServices, person: Person): Promise<Tagged<UserDto>> {
  return taggedProfile(await userOf(services, person));
}

/** The profile with its ETag, which covers the fields of the identity provider as well. */
function taggedProfile(user: UserRow): Tagged<UserDto> {
  const body = userDto(user);
  return { body, tag: etag(digestOf(JSON.stringify(body)).slice(0, 32)) };
}

/** The record of the caller, created on first use and updated from the identity provider. */
export async function userOf({ platform, identity, ownerRenamed }: AccountServices, person: Person): Promise<UserRow> {
  const known = await identity.find(person.id);
  if (!known) throw notAuthenticated('The account behind these credentials does not exist any more.', 'invalid_token');
  const { id, username, email, firstname, lastname } = known;
  const fields = { username, email, firstname, lastname };
  const user = await findUser(platform.database.read, id);
  if (user && Object.entries(fields).every(([name, value]) => user[name as keyof typeof fields] === value)) return user;
  const now = platform.now();
  const profile = { current_position: null, homepage: null, about: null };
  return platform.database.write(async (transaction) => {
    await lockAccountShared(platform.database, transaction, id);
    return upsertUser(transaction, { id, ...fields, ...profile, created_at: now, updated_at: now }, ownerRenamed);
  });
}

/** Changes the profile of the caller. An absent or null field keeps its value; an empty text clears it. */
export async function putMe(
  services: AccountServices,
  person: Person,
  { currentPosition, homepage, about }: UpdateUserRequest,
  ifMatch: string | undefined,
): Promise<Tagged<UserDto>> {
  if (homepage && !isWebAddress(homepage)) {
    throw invalid('/homepage', 'must be an absolute http or https address, such as https://example.org');
  }
  const { platform } = services;
  const { id } = await userOf(services, person);
  const user = await platform.database.write(async (transaction) => {
    await lockAccountShared(platform.database, transaction, id);
    const known = await lockUser(transaction, id, platform.now());
    requireMatch(ifMatch, taggedProfile(known).tag);
    return updateProfile(transaction, id, {
      current_position: changed(known.current_position, currentPosition),
      homepage: changed(known.homepage, homepage),
      about: changed(known.about, about),
    });
  });
  return taggedProfile(user);
}

function changed(stored: string | null, sent: string | null | undefined): string | null {
  return sent === undefined || sent === null ? stored : sent || null;
}

/**
 * Returns whether a text is an http or https address. URL.canParse alone accepts `https:example.org` and trims blanks.
 */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
