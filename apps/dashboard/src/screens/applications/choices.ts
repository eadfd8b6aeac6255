import type { Service, SharedService } from '@kethub/contract';

/** A service that an application can subscribe to, with its versions, newest first. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly isShared: boolean;
  readonly versions: readonly string[];
}

type Own = Pick<Service, 'id' | 'name'> & {
  readonly versions: readonly {
    readonly version: string;
    readonly state: string;
    readonly visibility?: string | undefined;
    readonly retirement?: unknown;
  }[];
};
type Shared = Pick<SharedService, 'id' | 'name'> & {
  readonly versions: readonly { readonly version: string; readonly opens: readonly string[] }[];
};

/**
 * The services that an application can subscribe to: own ones that are published internally, and shared ones whose share
 * opens the API. A version that is being retired takes no subscriptions.
 */
export function choicesAmong(own: readonly Own[], shared: readonly Shared[]): readonly Choice[] {
  const ownChoices = own.map(({ id, name, versions }) => ({
    id,
    name,
    isShared: false,
    versions: versions
      .filter((one) => one.state === 'PUBLISHED' && one.visibility === 'INTERNAL' && one.retirement === undefined)
      .map(({ version }) => version),
  }));
  const sharedChoices = shared.map(({ id, name, versions }) => ({
    id,
    name,
    isShared: true,
    versions: versions.filter(({ opens }) => opens.includes('API')).map(({ version }) => version),
  }));
  return [...ownChoices, ...sharedChoices].filter(({ versions }) => versions.length > 0);
}
