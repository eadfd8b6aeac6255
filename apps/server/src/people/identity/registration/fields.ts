import { signInName } from '../base/sign-in-name.ts';

/** The fields of a registration, normalized as they are stored. */
export interface NewRegistration {
  readonly username: string;
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly password: string;
}

/** Error texts by the name of the field. */
export type FieldErrors = Readonly<Partial<Record<keyof NewRegistration, string>>>;

/** Most characters of a first or last name; a longer one is refused, like the others below. */
const NAME_LENGTH = 100;
/** Least characters of a password. */
const PASSWORD_LEAST = 12;
/** Most characters of a password. */
const PASSWORD_MOST = 256;
/** Usernames have no @, so that none is the address of somebody else. */
const USERNAME = /^[a-z0-9][a-z0-9._-]{2,63}$/;
/** Email addresses of HTML (type=email), within the lengths of RFC 5321: no quotes, comments, lists or line ends. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const EMAIL_MOST = 254;

/** The registration in a form, or the errors of its fields. The default of the username is the address. */
export function registrationIn(
  form: URLSearchParams,
): { readonly registration: NewRegistration } | { readonly errors: FieldErrors } {
  const email = emailIn(form);
  const registration = {
    username: signInName(form.get('username') ?? '') || email,
    email,
    firstname: text(form, 'firstname'),
    lastname: text(form, 'lastname'),
    password: form.get('password') ?? '',
  };
  const checks: Record<keyof NewRegistration, string | null> = {
    username: usernameError(registration),
    email: emailError(email),
    firstname: nameError(registration.firstname, 'first name'),
    lastname: nameError(registration.lastname, 'last name'),
    password: passwordError(registration.password, registration),
  };
  const errors = Object.fromEntries(Object.entries(checks).filter(([, error]) => error !== null));
  return Object.keys(errors).length > 0 ? { errors } : { registration };
}

export function emailIn(form: URLSearchParams): string {
  return signInName(form.get('email') ?? '');
}

export function emailError(email: string): string | null {
  if (email.length <= EMAIL_MOST && EMAIL.test(email)) return null;
  return 'Enter an e-mail address such as ada@example.org, in Latin letters without accents.';
}

/** The error of a new password, or null. `names` are refused as passwords, because attackers try them first. */
export function passwordError(password: string, names: Partial<NewRegistration> = {}): string | null {
  // Characters are counted in the normalization that is hashed.
  const characters = charactersOf(password.normalize('NFKC'));
  if (characters < PASSWORD_LEAST) return `Enter at least ${PASSWORD_LEAST} characters.`;
  if (characters > PASSWORD_MOST) return `Enter at most ${PASSWORD_MOST} characters.`;
  const lower = signInName(password);
  if (new Set(lower).size < 4 || [names.username, names.email].includes(lower)) {
    return 'This password is too easy to guess. Choose another.';
  }
  return null;
}

function usernameError({ username, email }: { username: string; email: string }): string | null {
  if (username === email || USERNAME.test(username)) return null;
  return 'Enter 3 to 64 letters, digits, dots, hyphens or underscores, or leave it empty to sign in with the address.';
}

function nameError(name: string, what: string): string | null {
  if (name === '') return `Enter your ${what}.`;
  if (charactersOf(name) > NAME_LENGTH) return `Enter at most ${NAME_LENGTH} characters.`;
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name)
    ? `Enter your ${what} in plain characters.`
    : null;
}

function charactersOf(text: string): number {
  return Array.from(text).length;
}

function text(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').trim().normalize('NFC');
}
