import type { Service } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Revised } from '../../foundation/http/index.ts';
import type { Mailer } from '../../foundation/mail/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { isDuplicate, markOrphan, removeOrphans } from '../../foundation/storage/index.ts';
import { presentService } from './present.ts';
import { blobsOf, hasPublished, newestVersions } from './queries.ts';
import { slugOf } from './slug.ts';
import { type DeletionQuery, requireNoSubscribers, subscribersOf, notifySubscribers } from './subscribers.ts';
import { requireFreeAddress } from './transfer.ts';
import { requireService } from './versions.ts';

/**
 * Changes name and description. Once a version is published, the address keeps its slug, because subscribers call it.
 */
export async function updateService(
  platform: Platform,
  owner: Context,
  id: string,
  change: { name?: string; description?: string },
  ifMatch: string | undefined,
): Promise<Revised<Service>> {
  try {
    return await platform.database.write(async (transaction) => {
      const row = await requireService(transaction, owner, id);
      requireMatch(ifMatch, etag(row.revision));
      const versions = await newestVersions(transaction, [id]);
      const fixed = await hasPublished(transaction, id);
      const name = change.name?.trim() ?? row.name;
      const values = {
        name,
        slug: fixed ? row.slug : slugOf(name),
        description: change.description ?? row.description,
        revision: row.revision + 1,
      };
      if (values.slug !== row.slug) await requireFreeAddress(transaction, row.owner_id, values.slug, id);
      await transaction.updateTable('services').set(values).where('id', '=', id).execute();
      return { body: presentService({ ...row, ...values }, versions, platform), revision: values.revision };
    });
  } catch (error) {
    if (isDuplicate(error)) throw new Problem('conflict', 'You already have a service of this name.');
    throw error;
  }
}

/**
 * Deletes a service, its versions and the subscriptions to it. Running executions go on; past executions stay with
 * their owners. Throws service-in-use for one with subscriptions, unless `force` is set: then the subscribers are
 * notified.
 */
export async function deleteService(
  platform: Platform,
  mailer: Mailer,
  owner: Context,
  id: string,
  { force = false, ifMatch }: DeletionQuery & { readonly ifMatch: string | undefined },
): Promise<void> {
  const unused = await platform.database.write(async (transaction) => {
    const row = await requireService(transaction, owner, id);
    requireMatch(ifMatch, etag(row.revision));
    const blobs = await blobsOf(transaction, id);
    await audit(platform, transaction, owner, 'service:delete', id, { name: row.name });
    // The listing is deleted first: transactions that subscribe lock the listing before the service.
    await transaction.deleteFrom('listings').where('service_id', '=', id).execute();
    const subscribers = await subscribersOf(transaction, id);
    if (!force) requireNoSubscribers(subscribers);
    await notifySubscribers(platform, mailer, transaction, { actor: owner, service: row }, subscribers);
    await transaction.deleteFrom('services').where('id', '=', id).execute();
    for (const blob of blobs) await markOrphan(transaction, blob, platform.now());
    return blobs;
  });
  accessChanged(platform.database);
  mailer.wake();
  await removeOrphans(platform.database, platform.blobs, unused);
}
