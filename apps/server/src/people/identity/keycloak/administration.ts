import { Problem } from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { decideAlone } from './decision-lease.ts';
import {
  decidedMeanwhile,
  isSameState,
  isBlocked,
  type Administration,
  type ListedPerson,
  type RegisteredPerson,
} from '../identity-provider.ts';
import type { AskKeycloak } from './admin.ts';
import { member } from './connection.ts';
import { toPerson, withState } from './user.ts';
import { idOf, listUsers, readUser, unexpected } from './users.ts';
import { updateBlocked } from '../blocked-users.ts';
import { limitWaiting } from '../waiting.ts';

/** People read in one call. */
const CHUNK = 200;

/** The operations of administrators at a Keycloak. `changed` is called for every person whose state has changed. */
export function createKeycloakAdministration(
  platform: Platform,
  ask: AskKeycloak,
  changed: (person: RegisteredPerson) => Promise<void>,
): Administration {
  return {
    find: (subject) => limitWaiting(async () => toPerson(await readUser(ask, subject), subject)),
    // No common limit of time, because a list of few among many people takes many calls. Each call has its own.
    list: (status, cursor, limit) => walk(ask, status, cursor, limit),
    change: (subject, from, to) =>
      limitWaiting(() =>
        decideAlone(platform, subject, async () => {
          const user = await readUser(ask, subject);
          const person = toPerson(user, subject);
          if (!user || !person) return null;
          if (!isSameState(person, from)) throw decidedMeanwhile();
          // Blocking is recorded before the change, unblocking after it: a crash between them leaves the account
          // blocked.
          const note = () => updateBlocked(platform.database, subject, to, platform.now());
          if (isBlocked(to)) await note();
          if (!(await replaceUser(ask, subject, withState(user, to)))) return null;
          await note();
          const now = { ...person, ...to };
          await changed(now);
          return now;
        }),
      ),
  };
}

/**
 * Lists people in Keycloak's order, by username. New registrations have no status attribute yet, so Keycloak cannot
 * search for pending ones, and every person is read. The cursor is the number of people read so far.
 */
async function walk(
  ask: AskKeycloak,
  status: RegisteredPerson['status'] | null,
  cursor: string | null,
  limit: number,
): Promise<ListedPerson[]> {
  const found: ListedPerson[] = [];
  for (let first = offsetOf(cursor); found.length < limit; first += CHUNK) {
    const query = new URLSearchParams({ first: String(first), max: String(CHUNK), briefRepresentation: 'false' });
    const users = await listUsers(ask, query);
    for (const [index, user] of users.entries()) {
      const person = toPerson(user, idOf(user));
      if (person && (status === null || person.status === status))
        found.push({ id: String(first + index + 1), person });
    }
    if (users.length < CHUNK) break;
  }
  return found.slice(0, limit);
}

function offsetOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new Problem('invalid-request', 'The query cursor is none that this list has given.');
}

/** Replaces the representation of a user. Returns whether the user exists. */
async function replaceUser(ask: AskKeycloak, subject: string, user: object): Promise<boolean> {
  const answer = await ask('PUT', `/users/${encodeURIComponent(subject)}`, user);
  if (answer.status === 204) return true;
  if (answer.status === 404) return false;
  if (answer.status !== 400 && answer.status !== 409) throw unexpected('changing a user', answer);
  const reason = JSON.stringify(member(answer.body, 'errorMessage') ?? answer.status);
  throw new Problem('conflict', `The identity provider refuses the change: ${reason}. Correct the person there first.`);
}
