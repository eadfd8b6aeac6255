import { useQuery } from '@tanstack/react-query';
import { useActing } from './context.tsx';
import { namesQuery } from './data-pool-queries.ts';
import { organizationsQuery } from './queries.ts';

interface Named {
  readonly type: 'USER' | 'ORGANIZATION';
  readonly id: string;
}

/** Names of people and of organizations that the person has joined; of others, the end of the id. */
export function useNames(all: readonly Named[]): (one: Named) => string {
  const { platform } = useActing();
  const ids = [...new Set(all.filter(({ type }) => type === 'USER').map(({ id }) => id))].toSorted();
  const people = useQuery(namesQuery({ base: '', platform }, ids));
  const organizations = useQuery(organizationsQuery(platform));
  return ({ type, id }) =>
    (type === 'USER' ? people.data?.get(id) : organizations.data?.find((one) => one.id === id)?.name) ??
    `…${id.slice(-8)}`;
}
