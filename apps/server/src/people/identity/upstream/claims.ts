import { signInName } from '../base/sign-in-name.ts';

/** A person as an external OpenID provider describes them, in the form in which Kethub keeps people. */
export interface UpstreamPerson {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case; null when there is none, or when it cannot be one. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** The username that the person prefers; null when it cannot be one. Never an e-mail address. */
  readonly username: string | null;
  /** null when the provider names none. */
  readonly names: PersonNames | null;
}

export interface PersonNames {
  readonly firstname: string;
  readonly lastname: string;
}

export type Claims = Readonly<Record<string, unknown>>;

/** OpenID Connect Core 1.0 §2: at most 255 ASCII characters. */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;
/** Not like an address: such a username would be found under a mailbox that nobody has verified. */
const USERNAME = /^[a-z0-9][a-z0-9._-]{2,63}$/;
const EMAIL = /^[^\s@<>"(),:;\\[\]\p{C}]{1,64}@[^\s@<>"(),:;\\[\]\p{C}]+$/u;
const EMAIL_MOST = 254;
const NAME_MOST = 100;
/** Control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The person of an identity token and, for what it lacks, of the userinfo endpoint. Null when the subject is none that
 * OpenID Connect allows.
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

/** Providers that know only one name put it into `name`. */
function namesOf(given: string, family: string, whole: string): PersonNames | null {
  if (given !== '' || family !== '') return { firstname: cut(given), lastname: cut(family) };
  if (whole === '') return null;
  const space = whole.lastIndexOf(' ');
  if (space < 0) return { firstname: cut(whole), lastname: '' };
  return { firstname: cut(whole.slice(0, space)), lastname: cut(whole.slice(space + 1)) };
}

/** OpenID Connect wants a boolean; some providers write it as a text at userinfo. */
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
