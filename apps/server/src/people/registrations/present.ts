import { toTimestamp, type Registration } from '@kethub/contract';
import { etag, type Tagged } from '../../foundation/http/index.ts';
import type { RegisteredPerson } from '../identity/index.ts';
import { digestOf } from '../../foundation/storage/index.ts';

export function registrationDto(person: RegisteredPerson): Registration {
  const { id, username, email, emailVerified, firstname, lastname, status, enabled, createdAt } = person;
  return {
    id,
    username,
    email,
    emailVerified,
    firstname,
    lastname,
    status,
    enabled,
    createdAt: createdAt === null ? null : toTimestamp(createdAt),
  };
}

export function taggedRegistration(person: RegisteredPerson): Tagged<Registration> {
  const body = registrationDto(person);
  return { body, tag: etag(digestOf(JSON.stringify(body)).slice(0, 32)) };
}
