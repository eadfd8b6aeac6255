import type { Identity, NewUser, RegisteredPerson, AccountState } from '../identity-provider.ts';
import { member } from './connection.ts';

/** The attribute of a person in which Keycloak keeps the registration status. Only administrators may write it. */
const STATUS_ATTRIBUTE = 'registrationStatus';

/**
 * The person that the admin interface describes (UserRepresentation), or null when it is not the one of `subject`. Who
 * has no registration status awaits approval.
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

/** The same with what administrators see beside. */
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
  // Several values contradict each other: nobody is approved by that.
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
