import { Type, type Static, type TObject } from 'typebox';

/** Administrators, and the conditions for registering. */
export interface AccountSettings {
  /** Usernames, in the form in which the identity provider compares them. */
  readonly administrators: readonly string[];
  readonly registration: 'approval' | 'open' | 'closed';
}

export const AccountFields = {
  KETHUB_ADMINISTRATORS: Type.Optional(
    Type.String({
      description:
        'Usernames of administrators at the identity provider, separated by commas. Administrators are approved users. They decide on registrations and switch accounts off. Default: none.',
    }),
  ),
  KETHUB_REGISTRATION: Type.Enum(['approval', 'open', 'closed'], {
    default: 'approval',
    description:
      'Registration at the embedded identity provider. `approval`: a person who has confirmed the address waits for an administrator. `open`: that person is an approved user at once. `closed`: nobody can register.',
  }),
};

export function accountsOf(given: Static<TObject<typeof AccountFields>>): AccountSettings {
  return { administrators: namesOf(given.KETHUB_ADMINISTRATORS), registration: given.KETHUB_REGISTRATION };
}

/** Usernames in the form in which all identity providers store them: NFC and lower case. */
function namesOf(list = ''): string[] {
  const names = list.split(',').map((name) => name.trim().normalize('NFC').toLowerCase());
  return [...new Set(names)].filter(Boolean);
}
