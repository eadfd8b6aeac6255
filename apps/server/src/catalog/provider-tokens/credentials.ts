import {
  providerCodes,
  providers,
  type Provider,
  type ProviderAccessTokenRequest,
  type ProviderCode,
} from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { Seal } from '../../foundation/storage/index.ts';
import type { TokenOwner } from './queries.ts';

type Credentials = ProviderAccessTokenRequest;

/** Last characters of a key that the hint shows. A key shorter than four times as many has a hint without them. */
const SHOWN = 4;

/** Throws invalid-request when the provider needs a service identifier and there is none, or the other way round. */
export function requireCompleteCredentials(provider: ProviderCode, { serviceIdentifier }: Credentials): void {
  const { name, serviceIdentifier: taken }: Provider = providers[provider];
  if ((taken === undefined) === (serviceIdentifier === undefined)) return;
  const detail = taken === undefined ? `${name} has no service identifier` : `${name} needs a service identifier`;
  throw new Problem('invalid-request', `${detail}.`, { errors: [{ pointer: '/serviceIdentifier', detail }] });
}

/** The purpose of a sealed value: one that is moved to another owner or provider cannot be opened. */
function purposeOf({ type, id }: TokenOwner, provider: string): string {
  return `provider access token of ${type} ${id} at ${provider}`;
}

export function sealCredentials(
  seal: Seal,
  owner: TokenOwner,
  provider: ProviderCode,
  credentials: Credentials,
): string {
  return seal.seal(purposeOf(owner, provider), JSON.stringify(credentials));
}

export function unsealCredentials(seal: Seal, owner: TokenOwner, provider: string, sealed: string): Credentials {
  return JSON.parse(seal.unseal(purposeOf(owner, provider), sealed)) as Credentials;
}

export function hintOf(apiKey: string): string {
  return apiKey.length >= SHOWN * 4 ? `…${apiKey.slice(-SHOWN)}` : '…';
}

export function isProvider(text: string): text is ProviderCode {
  return providerCodes.some((code) => code === text);
}

/** Credentials as the environment variables that the provider's client library reads. */
export function variablesFor(
  provider: ProviderCode,
  { apiKey, serviceIdentifier }: Credentials,
): Record<string, string> {
  const names: Provider = providers[provider];
  return {
    [names.apiKey]: apiKey,
    ...(names.serviceIdentifier !== undefined &&
      serviceIdentifier !== undefined && { [names.serviceIdentifier]: serviceIdentifier }),
    ...names.constants,
  };
}
