import type { Identity, NewUser, RegisteredPerson, AccountState } from '../identity-provider.ts';
import { member } from './connection.ts';

/** The attribute of a user with the registration status. Only administrators may write it. */
const STATUS_ATTRIBUTE = 'registrationStatus';

/**
 * The person in a UserRepresentation of the admin interface, or null if it is not `subject`. A person without a
 * registration status is PENDING.
 */
export function toIdentity(user: unknown, subject: string): Identity | null {
  if (member(user, 'id') !== subject) return null;
  const text = (name: string): string => {
    const value = member(user, name);
    return typeof value === 'string' ? value : '';
  };
  return {
    id: subject,
    username: text('username'),
    email: text('email'),
    emailVerified: member(user, 'emailVerified') === true,
    firstname: text('firstName'),
    lastname: text('lastName'),
    status: statusOf(member(member(user, 'attributes'), STATUS_ATTRIBUTE)),
    enabled: member(user, 'enabled') === true,
  };
}

/** Like `toIdentity`, with the members that only administrators see. */
export function toPerson(user: unknown, subject: string): RegisteredPerson | null {
  const identity = toIdentity(user, subject);
  const created = member(user, 'createdTimestamp');
  return identity && { ...identity, createdAt: typeof created === 'number' ? created : null };
}

/** The representation of `user` with this state. It is complete: Keycloak deletes attributes that are missing. */
export function withState(user: object, { status, enabled }: AccountState): object {
  const attributes = member(user, 'attributes');
  return { ...user, enabled, attributes: { ...(attributes as object | undefined), [STATUS_ATTRIBUTE]: [status] } };
}

function statusOf(values: unknown): Identity['status'] {
  const [status, ...others] = Array.isArray(values) ? (values as unknown[]) : [];
  // Several values contradict each other, so the person is not approved.
  if (others.length > 0) return 'PENDING';
  return status === 'APPROVED' || status === 'REJECTED' ? status : 'PENDING';
}

/** The representation that adds a person. */
export function toUserRepresentation(user: NewUser): object {
  return {
    username: user.username,
    email: user.email,
    emailVerified: true,
    firstName: user.firstname,
    lastName: user.lastname,
    enabled: true,
    attributes: { [STATUS_ATTRIBUTE]: [user.status] },
    credentials: [{ type: 'password', value: user.password, temporary: false }],
  };
}
