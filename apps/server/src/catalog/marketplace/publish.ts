import type { Listing, ListingRequest } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Put, type Tagged } from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireService, requireVersion } from '../services/index.ts';
import { isDuplicate } from '../../foundation/storage/index.ts';
import { listingTextOf } from './provider-names.ts';
import { personName } from '../../people/accounts/index.ts';
import { checkPlans } from './plans.ts';
import { presentListing } from './present.ts';
import { categorize, deleteListing, findListing, insertListing, updateListing } from './queries.ts';

/** Offers one published version of a service in the marketplace, in place of the one offered before. */
export async function publishListing(
  platform: Platform,
  identity: IdentityProvider,
  owner: Context,
  serviceId: string,
  wanted: ListingRequest,
  ifMatch: string | undefined,
): Promise<Put<Listing>> {
  const { database, newId, now } = platform;
  const provider_name = await providerName(platform, identity, owner);
  try {
    return await database.write(async (transaction) => {
      const { service, row: version } = await requireVersion(transaction, {
        owner,
        serviceId,
        version: wanted.version,
      });
      const plans = checkPlans(wanted.pricingPlans, service.type);
      if (version.state !== 'PUBLISHED') {
        throw new Problem(
          'conflict',
          `Version ${version.version} is ${version.state}. Only a published version can be offered: PUT /services/${serviceId}/versions/${version.version}/publication first.`,
        );
      }
      if (version.sunset_at !== null)
        throw new Problem('conflict', `Version ${version.version} is being retired. Offer a newer one.`);
      const before = await findListing(database, transaction, serviceId, 'FOR_CHANGE');
      requireMatch(ifMatch, before ? etag(before.revision) : NOT_LISTED);
      const at = now();
      const { title = service.name, summary = '', documentation = '', categories } = wanted;
      const row = {
        id: before?.id ?? newId(),
        service_id: serviceId,
        service_version_id: version.id,
        title: title.trim(),
        summary: summary.trim(),
        documentation,
        categories: JSON.stringify(categories),
        pricing_plans: JSON.stringify(plans),
        search_text: listingTextOf(title, summary),
        provider_name,
        provider_text: listingTextOf(provider_name),
        created_at: before?.created_at ?? at,
        updated_at: at,
        revision: (before?.revision ?? 0) + 1,
      };
      await (before ? updateListing(transaction, row) : insertListing(transaction, row));
      await categorize(transaction, row.id, categories);
      const detail = { version: version.version, title: row.title, categories, pricingPlans: plans };
      await audit(platform, transaction, owner, 'listing:publish', serviceId, detail);
      const body = presentListing(row, version.version);
      return { body, tag: etag(row.revision), isNew: !before };
    });
  } catch (error) {
    if (isDuplicate(error))
      throw new Problem('conflict', 'Somebody else has just put the service into the marketplace. Read it again.');
    throw error;
  }
}

/**
 * The name of the provider. That of a person comes from the identity provider: the platform may have no row for them.
 */
async function providerName(
  { database }: Platform,
  identity: IdentityProvider,
  { type, id }: Context,
): Promise<string> {
  if (type === 'USER') {
    const person = await identity.find(id);
    return person ? personName(person) : '';
  }
  const { read } = database;
  return (await read.selectFrom('organizations').select('name').where('id', '=', id).executeTakeFirstOrThrow()).name;
}

/** Stands for the entity tag of a listing that does not exist. It matches no entity tag. */
const NOT_LISTED = 'not listed';

/** Removes a service from the marketplace. Existing subscriptions stay; nobody else can subscribe. */
export async function unpublishListing(
  platform: Platform,
  owner: Context,
  serviceId: string,
  ifMatch: string | undefined,
): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    await requireService(transaction, owner, serviceId);
    const listing = await findListing(database, transaction, serviceId, 'FOR_CHANGE');
    if (!listing) throw notListed(serviceId);
    requireMatch(ifMatch, etag(listing.revision));
    await deleteListing(transaction, serviceId);
    await audit(platform, transaction, owner, 'listing:unpublish', serviceId, { title: listing.title });
  });
}

/** The listing of a service, for its owner. */
export async function readListing({ database }: Platform, owner: Context, serviceId: string): Promise<Tagged<Listing>> {
  await requireService(database.read, owner, serviceId);
  const row = await findListing(database, database.read, serviceId);
  if (!row) throw notListed(serviceId);
  const { version } = await database.read
    .selectFrom('service_versions')
    .select('version')
    .where('id', '=', row.service_version_id)
    .executeTakeFirstOrThrow();
  return { body: presentListing(row, version), tag: etag(row.revision) };
}

function notListed(serviceId: string): Problem {
  return new Problem('not-found', `The service ${serviceId} is not in the marketplace.`);
}
