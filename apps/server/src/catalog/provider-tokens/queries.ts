import type { OwnerType, ProviderAccessTokenRow, Queries } from '../../foundation/storage/index.ts';

export interface TokenOwner {
  readonly type: OwnerType;
  readonly id: string;
}

export function tokensOf(queries: Queries, owner: TokenOwner): Promise<ProviderAccessTokenRow[]> {
  return queries
    .selectFrom('provider_access_tokens')
    .selectAll()
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .orderBy('provider')
    .execute();
}

export function findToken(queries: Queries, owner: TokenOwner, provider: string) {
  return queries
    .selectFrom('provider_access_tokens')
    .selectAll()
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .where('provider', '=', provider)
    .executeTakeFirst();
}

export async function putToken(transaction: Queries, row: ProviderAccessTokenRow): Promise<void> {
  const { owner_type: _type, owner_id: _id, provider: _provider, created_at: _created, ...changed } = row;
  await transaction
    .insertInto('provider_access_tokens')
    .values(row)
    .onConflict((conflict) => conflict.columns(['owner_type', 'owner_id', 'provider']).doUpdateSet(changed))
    .execute();
}

export async function deleteToken(transaction: Queries, owner: TokenOwner, provider: string): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('provider_access_tokens')
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteTokensOf(transaction: Queries, owner: TokenOwner): Promise<void> {
  await transaction
    .deleteFrom('provider_access_tokens')
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .execute();
}

/** Finds the present owner of the service of a version. */
export function ownerOfVersion(queries: Queries, serviceVersionId: string) {
  return queries
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select(['services.owner_type as type', 'services.owner_id as id'])
    .where('service_versions.id', '=', serviceVersionId)
    .executeTakeFirst();
}
