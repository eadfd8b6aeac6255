import { Problem } from '../../foundation/http/index.ts';
import type { ImplementationRow, Queries } from '../../foundation/storage/index.ts';

type Address = Pick<ImplementationRow, 'id' | 'owner_id' | 'name'>;

/**
 * Takes an address for an implementation, which keeps its former ones. Throws `conflict` when the address belongs, or
 * has belonged, to another implementation, so that nobody takes over an address that others still use.
 */
export async function takeName(transaction: Queries, { id, owner_id, name }: Address): Promise<void> {
  await transaction
    .insertInto('implementation_names')
    .values({ owner_id, name, implementation_id: id })
    .onConflict((conflict) => conflict.columns(['owner_id', 'name']).doNothing())
    .execute();
  const holder = await transaction
    .selectFrom('implementation_names')
    .select('implementation_id')
    .where('owner_id', '=', owner_id)
    .where('name', '=', name)
    .executeTakeFirst();
  if (holder?.implementation_id === id) return;
  throw new Problem(
    'conflict',
    `The owner has, or had, another implementation at the address "${name}". Choose another name.`,
  );
}

/** Gives up a former address. Throws `conflict` for the present one, and `not-found` for any other. */
export async function releaseName(
  transaction: Queries,
  row: Address,
  former: Pick<ImplementationRow, 'owner_id' | 'name'>,
): Promise<void> {
  if (former.owner_id === row.owner_id && former.name === row.name)
    throw new Problem('conflict', 'This is the present address of the implementation. Change its name first.');
  const released = await transaction
    .deleteFrom('implementation_names')
    .where('implementation_id', '=', row.id)
    .where('owner_id', '=', former.owner_id)
    .where('name', '=', former.name)
    .returning('name')
    .executeTakeFirst();
  if (!released) throw new Problem('not-found', 'The implementation has no such former address.');
}
