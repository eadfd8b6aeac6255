import type { Platform } from '../../foundation/platform.ts';
import { isProvider, unsealCredentials, variablesFor } from './credentials.ts';
import { ownerOfVersion, tokensOf } from './queries.ts';

/**
 * The credentials of the owner of a service, as environment variables of one execution of this version. They are read
 * and unsealed for each execution and not cached, so the next execution sees a changed or deleted token.
 */
export async function providerEnvironment(
  { database, seal }: Platform,
  serviceVersionId: string,
): Promise<Record<string, string>> {
  const owner = await ownerOfVersion(database.read, serviceVersionId);
  const variables: Record<string, string> = {};
  for (const { provider, sealed_credentials } of owner ? await tokensOf(database.read, owner) : []) {
    if (!owner || !isProvider(provider)) continue;
    Object.assign(variables, variablesFor(provider, unsealCredentials(seal, owner, provider, sealed_credentials)));
  }
  return variables;
}
