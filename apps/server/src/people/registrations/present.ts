import { toTimestamp, type Registration } from '@kethub/contract';
import { etag, type Answer } from '../../foundation/http/index.ts';
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

export function registrationAnswer(person: RegisteredPerson) {
  const body = registrationDto(person);
  const headers = { etag: etag(digestOf(JSON.stringify(body)).slice(0, 32)), 'cache-control': 'no-store' };
  return { status: 200, headers, body } satisfies Answer;
}
