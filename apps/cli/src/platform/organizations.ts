import type { PlatformClient } from '@kethub/client';
import type { Organization } from '@kethub/contract';
import { usageFailure } from '../failures.ts';

/** Finds an organization that the user has joined, by its id or by a name that only one has. */
export async function joined(platform: PlatformClient, wanted: string): Promise<Organization> {
  const all = await platform.listOrganizations();
  const byId = all.find(({ id }) => id === wanted);
  if (byId) return byId;
  const named = all.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const [one, another] = named;
  if (one && !another) return one;
  throw usageFailure(
    one
      ? `You have joined ${named.length} organizations of the name ${wanted}. Name one by its id: ${named.map(({ id }) => id).join(', ')}.`
      : `You have joined no organization ${wanted}.`,
    'ket org list',
    'ket org use    (acts personally again)',
  );
}
