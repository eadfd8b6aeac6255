import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { refsQuery } from '../../data/implementation-queries.ts';
import { useImplementationAddress, useWhere } from './use-implementation.ts';

/** Names that are in the list at a time; others are found by typing. A repository may have 10,000. */
const SHOWN = 200;

/** Chooses the branch or tag that a page shows. It stands in the address. */
export function BranchChoice() {
  const { acting, implementationId } = useImplementationAddress();
  const { ref, choose } = useWhere();
  const refs = useQuery(refsQuery(acting, implementationId));
  if (!refs.data) return null;
  const { branches, tags, defaultBranch } = refs.data;
  const known = new Set([...branches, ...tags].map(({ name }) => name));
  const shown = ref ?? defaultBranch;
  return (
    <Select
      aria-label="Branch or tag"
      size="xs"
      searchable
      limit={SHOWN}
      allowDeselect={false}
      data={[
        { group: 'Branches', items: branches.map(({ name }) => name) },
        // A tag may have the name of a branch, which goes first.
        {
          group: 'Tags',
          items: tags.map(({ name }) => name).filter((name) => !branches.some((one) => one.name === name)),
        },
        ...(known.has(shown) ? [] : [{ group: 'Shown', items: [shown] }]),
      ]}
      value={shown}
      onChange={(chosen) => choose(chosen === defaultBranch ? null : chosen)}
      style={{ width: 240 }}
    />
  );
}
