import type { FindDeletion, FindLeaving } from '../deletions/index.ts';
import type { IdentityProvider } from '../identity/index.ts';

/**
 * The identity provider, in which nobody is found whose account is being deleted or was: the provider keeps the person
 * to the last step, and remembers them for a while on other processes.
 */
export function visiblePeople(
  identity: IdentityProvider,
  findDeletion: FindDeletion,
  findLeaving: FindLeaving,
): IdentityProvider {
  return {
    ...identity,
    async find(subject) {
      const [person, deletion] = await Promise.all([identity.find(subject), findDeletion(subject)]);
      return deletion ? null : person;
    },
    async findApproved(subjects) {
      const [people, leaving] = await Promise.all([identity.findApproved(subjects), findLeaving(subjects)]);
      return people.map((person) => (person && leaving.has(person.id) ? null : person));
    },
    async findByEmail(email) {
      const person = await identity.findByEmail(email);
      return person && (await findDeletion(person.id)) ? null : person;
    },
  };
}
