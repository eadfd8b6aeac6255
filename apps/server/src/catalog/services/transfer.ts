import type { Service, TransferRequest } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { changeProvider } from '../metering/index.ts';
import { requireNewOwner } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { takeStorage } from '../quotas/index.ts';
import { isDuplicate, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import { presentService } from './present.ts';
import { hasPublished, newestVersions } from './queries.ts';
import { requireService } from './versions.ts';

/**
 * Transfers a service to another owner. Its address names the owner and changes; subscribers can go on calling the
 * former address. Internal subscriptions of the former owner's applications end. Subscriptions from the marketplace go
 * on and earn for the new owner, who has to list the service anew.
 */
export async function transferService(
  platform: Platform,
  context: Context,
  id: string,
  to: TransferRequest,
): Promise<Service> {
  const { database } = platform;
  try {
    const service = await database.write(async (transaction) => {
      const row = await requireService(transaction, context, id);
      const owner = await requireNewOwner(platform, transaction, context, to, 'service:create');
      await requireFreeAddress(transaction, owner.owner_id, row.slug, id);
      await takeStorage(platform, transaction, to, row.stored_bytes);
      const versions = await newestVersions(transaction, [id]);
      if (await hasPublished(transaction, id)) await keepAddress(transaction, row);
      const values = { ...owner, revision: row.revision + 1 };
      // The new owner lists the service anew. The listing is deleted before the service changes: transactions that
      // subscribe lock them in this order.
      await transaction.deleteFrom('listings').where('service_id', '=', id).execute();
      await transaction.updateTable('services').set(values).where('id', '=', id).execute();
      await changeProvider(transaction, id, to);
      const detail = { name: row.name, from: { type: context.type, id: context.id }, to };
      await audit(platform, transaction, context, 'service:transfer', id, detail);
      const receiver = { ...context, type: to.type, id: to.id };
      await audit(platform, transaction, receiver, 'service:transfer', id, detail);
      return presentService({ ...row, ...values }, versions, platform);
    });
    accessChanged(database);
    return service;
  } catch (error) {
    if (isDuplicate(error)) throw taken();
    throw error;
  }
}

/**
 * Throws `conflict` when this address belongs, or has belonged, to another service, whose subscribers may still call
 * it.
 */
export async function requireFreeAddress(
  transaction: Queries,
  ownerId: string,
  slug: string,
  serviceId: string,
): Promise<void> {
  const other = await transaction
    .selectFrom('former_addresses')
    .select('service_id')
    .where('owner_id', '=', ownerId)
    .where('slug', '=', slug)
    .where('service_id', '!=', serviceId)
    .executeTakeFirst();
  if (other) throw taken();
}

async function keepAddress(transaction: Queries, { owner_id, slug, id }: ServiceRow): Promise<void> {
  await transaction
    .insertInto('former_addresses')
    .values({ owner_id, slug, service_id: id })
    .onConflict((conflict) => conflict.columns(['owner_id', 'slug']).doNothing())
    .execute();
}

function taken(): Problem {
  return new Problem(
    'conflict',
    'The new owner has, or had, a service whose name becomes the same in its address. Rename one of them while it is a draft.',
  );
}
