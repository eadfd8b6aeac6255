import {
  providers,
  toTimestamp,
  variablesOf,
  type ProviderAccessToken,
  type ProviderAccessTokenRequest,
  type ProviderCode,
} from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Put } from '../../foundation/http/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { ProviderAccessTokenRow } from '../../foundation/storage/index.ts';
import { hintOf, isProvider, requireCompleteCredentials, sealCredentials, unsealCredentials } from './credentials.ts';
import { deleteToken, findToken, putToken, tokensOf } from './queries.ts';

/** Lists the tokens of an owner, at most one for each provider. */
export async function readTokens({ database, seal }: Platform, owner: Context): Promise<ProviderAccessToken[]> {
  const rows = await tokensOf(database.read, owner);
  return rows.flatMap((row) => {
    if (!isProvider(row.provider)) return [];
    const { serviceIdentifier } = unsealCredentials(seal, owner, row.provider, row.sealed_credentials);
    return [present(row, row.provider, serviceIdentifier)];
  });
}

/** Sets or replaces the token for a provider, for all executions that start from now on. */
export async function setToken(
  platform: Platform,
  owner: Context,
  provider: ProviderCode,
  credentials: ProviderAccessTokenRequest,
  ifMatch: string | undefined,
): Promise<Put<ProviderAccessToken>> {
  requireCompleteCredentials(provider, credentials);
  return platform.database.write(async (transaction) => {
    await lockOwnerShared(platform, transaction, owner);
    const before = await findToken(transaction, owner, provider);
    requireMatch(ifMatch, before ? etag(before.revision) : '');
    const now = platform.now();
    const row: ProviderAccessTokenRow = {
      owner_type: owner.type,
      owner_id: owner.id,
      provider,
      sealed_credentials: sealCredentials(platform.seal, owner, provider, credentials),
      hint: hintOf(credentials.apiKey),
      created_at: before?.created_at ?? now,
      updated_at: now,
      revision: (before?.revision ?? 0) + 1,
    };
    await putToken(transaction, row);
    await audit(platform, transaction, owner, 'provider-access-token:set', provider, {
      replaced: before !== undefined,
    });
    const body = present(row, provider, credentials.serviceIdentifier);
    return { body, tag: etag(row.revision), isNew: !before };
  });
}

export async function removeToken(platform: Platform, owner: Context, provider: ProviderCode): Promise<void> {
  await platform.database.write(async (transaction) => {
    if (!(await deleteToken(transaction, owner, provider)))
      throw new Problem('not-found', `There is no access token for ${providers[provider].name}.`);
    await audit(platform, transaction, owner, 'provider-access-token:delete', provider);
  });
}

function present(
  row: ProviderAccessTokenRow,
  provider: ProviderCode,
  serviceIdentifier: string | undefined,
): ProviderAccessToken {
  return {
    provider,
    name: providers[provider].name,
    hint: row.hint,
    ...(serviceIdentifier !== undefined && { serviceIdentifier }),
    environmentVariables: variablesOf(provider),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
  };
}
