import type { Platform } from '../../foundation/platform.ts';
import { isProvider, unsealCredentials, variablesFor } from './credentials.ts';
import { ownerOfVersion, tokensOf } from './queries.ts';

/**
 * The credentials of the owner of a service, as environment variables of one execution of this version. Read and opened
 * for each anew and kept nowhere: a token that was changed or taken away is so for the next execution.
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
