import type { FindDeletion, FindLeaving } from '../deletions/index.ts';
import type { IdentityProvider } from '../identity/index.ts';

/**
 * The identity provider without people whose account is deleted or being deleted. The provider itself has the person
 * until the last step, and other processes cache people for a while.
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
