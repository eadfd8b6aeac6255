import { limits, type Implementation } from '@kethub/contract';
import { Type, type Static } from 'typebox';
import { ListQuery, Problem, type Listing, type Tagged } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';
import { restrict } from '../../people/organizations/index.ts';
import { implementationTag, presentImplementation } from './present.ts';
import { publicImplementations } from './public-search.ts';
import { implementationsFor, namesOf, type ListedImplementation } from './queries.ts';
import { requireImplementation, type Reader } from './rights.ts';

/** The query of the list of public implementations. */
export const PublicQuery = Type.Object({
  ...ListQuery.properties,
  q: Type.Optional(
    Type.String({
      maxLength: limits.implementationsQueryLength,
      description: 'Text that the name or the description contains.',
    }),
  ),
});

/** The implementations that belong to the caller or were shared with them, newest first. */
export function readImplementations(
  { database, addresses }: Platform,
  context: Context,
): Listing<ListedImplementation> {
  return {
    address: `${addresses.api}/implementations`,
    load: (cursor, limit) => implementationsFor(database.read, context, {}, cursor, limit),
    present: ({ granted, ...row }) => presentImplementation(addresses, row, restrict(granted, context)),
  };
}

/** The public implementations, newest first, with the role that everybody has on them. */
export function readPublic(
  { database, addresses }: Platform,
  { q = '' }: Static<typeof PublicQuery>,
): Listing<ImplementationRow> {
  if (q.includes('\0')) throw new Problem('invalid-request', 'The query q must not hold the character U+0000.');
  return {
    address: `${addresses.api}/implementations/public${q === '' ? '' : `?q=${encodeURIComponent(q)}`}`,
    load: (cursor, limit) => publicImplementations(database, q, cursor, limit),
    present: (row) => presentImplementation(addresses, row, 'VIEWER'),
  };
}

export async function readImplementation(
  { database, addresses }: Platform,
  reader: Reader,
  id: string,
): Promise<Tagged<Implementation>> {
  const { implementation, role } = await requireImplementation(database.read, reader, id, 'implementation:read');
  const tag = implementationTag(implementation, role);
  // Former addresses name former owners, which is nothing for visitors.
  const names = reader ? await namesOf(database.read, id) : [];
  const body = presentImplementation(addresses, implementation, role, names);
  return { body, tag };
}
