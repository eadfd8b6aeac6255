import { signInName } from '../base/sign-in-name.ts';

/** A person at an upstream OpenID provider, in the form in which Kethub stores people. */
export interface UpstreamPerson {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; null if there is none, or an invalid one. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** The preferred username, never an email address; null if there is none, or an invalid one. */
  readonly username: string | null;
  /** null if the provider sends none. */
  readonly names: PersonNames | null;
}

interface PersonNames {
  readonly firstname: string;
  readonly lastname: string;
}

export type Claims = Readonly<Record<string, unknown>>;

/** Subjects have at most 255 ASCII characters (OpenID Connect Core 1.0 §2). */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;
/** Usernames have no @: one with it could be an address that the person has not verified. */
const USERNAME = /^[a-z0-9][a-z0-9._-]{2,63}$/;
const EMAIL = /^[^\s@<>"(),:;\\[\]\p{C}]{1,64}@[^\s@<>"(),:;\\[\]\p{C}]+$/u;
const EMAIL_MOST = 254;
const NAME_MOST = 100;
/** Control characters, and changes of text direction. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The person in an identity token. Claims that it lacks are taken from the userinfo endpoint. Null if the subject is
 * not one that OpenID Connect allows.
 */
export function toUpstreamPerson(issuer: string, token: Claims, userinfo: Claims): UpstreamPerson | null {
  const { sub: subject } = token;
  if (typeof subject !== 'string' || !SUBJECT.test(subject)) return null;
  const claim = (name: string): string => textOf(token[name]) || textOf(userinfo[name]);
  // Address and verification come from the same source: a verified address says nothing about another one.
  const source = textOf(token['email']) === '' ? userinfo : token;
  const email = signInName(textOf(source['email']));
  const username = signInName(claim('preferred_username'));
  return {
    issuer,
    subject,
    email: email.length <= EMAIL_MOST && EMAIL.test(email) ? email : null,
    emailVerified: isTrue(source['email_verified']),
    username: USERNAME.test(username) ? username : null,
    names: namesOf(claim('given_name'), claim('family_name'), claim('name')),
  };
}

/** First and last name. Providers with one name only put it into `name`, which is split at the last space. */
function namesOf(given: string, family: string, whole: string): PersonNames | null {
  if (given !== '' || family !== '') return { firstname: cut(given), lastname: cut(family) };
  if (whole === '') return null;
  const space = whole.lastIndexOf(' ');
  if (space < 0) return { firstname: cut(whole), lastname: '' };
  return { firstname: cut(whole.slice(0, space)), lastname: cut(whole.slice(space + 1)) };
}

/** Returns whether a claim is true. OpenID Connect requires a boolean; some providers send a text at userinfo. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.toWellFormed().normalize('NFC').replaceAll(UNPRINTABLE, ' ').replaceAll(/\s+/g, ' ').trim();
}

function cut(name: string): string {
  return name.slice(0, NAME_MOST).toWellFormed().trim();
}
