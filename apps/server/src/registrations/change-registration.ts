import type { ChangeRegistrationRequest } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, requireMatch, type Answer } from '../http/index.ts';
import { isSameStanding, isShutOut, type Administration } from '../identity/index.ts';
import type { Person, Platform } from '../platform.ts';
import { registrationAnswer } from './present.ts';
import { requirePerson } from './read-registrations.ts';
import { transition } from './transition.ts';

/** Decides about a person. Of two administrators who decide at once, one does; the other is told to look again. */
export async function changeRegistration(
  { log }: Platform,
  administration: Administration,
  administrator: Person,
  id: string,
  decision: ChangeRegistrationRequest,
  request: FastifyRequest,
): Promise<Answer> {
  const person = await requirePerson(administration, id);
  requireMatch(request, registrationAnswer(person).headers.etag);
  const to = transition(person, decision);
  if (!to) {
    throw new Problem(
      'conflict',
      `A registration that is ${person.status} cannot become ${decision.status}. To shut an approved user out, send {"enabled": false}.`,
    );
  }
  if (id === administrator.id && isShutOut(to))
    throw new Problem('conflict', 'Nobody shuts themselves out. Ask another administrator to do it.');
  if (isSameStanding(person, to)) return registrationAnswer(person);
  const changed = await administration.change(id, person, to);
  if (!changed) throw new Problem('not-found', 'The person has been deleted meanwhile.');
  log.info({ registration: id, administrator: administrator.id, ...to }, 'decided about a registration');
  return registrationAnswer(changed);
}
