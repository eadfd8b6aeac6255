import type { Build } from '@kethub/contract';
import { withoutSlash, type Connection } from './connection.ts';
import { executionsAt, type ExecutionsEndpoint } from './executions-endpoint.ts';
import { followLog, type FollowedEntry, type FollowOptions } from './follow-log.ts';
import type { components } from './generated/platform.ts';
import { table } from './generated/platform-table.ts';
import { operationsAt, type Operations } from './operations.ts';
import { watch, type WatchOptions } from './watch.ts';

type Types = components['schemas'];

/** A personal access token, the token of a login session, or a way to get the latter. */
export type Credential =
  | { readonly accessToken: string }
  | { readonly loginSession: string }
  /** Asked before each request. `refused` is the token that the platform no longer takes, when it has refused one. */
  | { readonly renewedSession: (refused: string | null) => Promise<string> };

interface PlatformClientOptions {
  /** {base_url}, for example http://localhost:8080/api. */
  readonly baseUrl: string;
  /** null: nobody has signed in. */
  readonly credential: Credential | null;
  /** Acts within this organization instead of personally. */
  readonly organizationId?: string;
  readonly fetch?: typeof fetch;
}

/** A version of a service. */
interface VersionAddress {
  readonly serviceId: string;
  readonly version: string;
}

/** The platform interface: every operation by its id, and what takes several requests. */
export interface PlatformClient extends Operations<Types, typeof table> {
  /** Executions started for the caller, as jobs or by applications. */
  readonly executions: ExecutionsEndpoint;
  /** The build now and at every change of its status, to the final one. */
  watchBuild(asked: VersionAddress & WatchOptions): AsyncGenerator<Build, void>;
  /** The log of a build as it grows, to its end. */
  followBuildLog(asked: VersionAddress & FollowOptions): AsyncGenerator<FollowedEntry, void>;
}

/** A client of the platform interface for one credential. */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  const { credential } = options;
  const context: Record<string, string> =
    options.organizationId === undefined ? {} : { 'x-organizationid': options.organizationId };
  const connection: Connection = {
    baseUrl: withoutSlash(options.baseUrl),
    fetch: options.fetch ?? fetch,
    ...authenticationOf(credential, context),
  };
  const platform = operationsAt<Types, typeof table>(connection, table);
  return {
    ...platform,
    executions: executionsAt({ ...connection, baseUrl: `${connection.baseUrl}/service-executions` }),
    watchBuild: ({ serviceId, version, ...watching }) =>
      watch<Build>((request) => platform.getBuild.response({ serviceId, version, ...request }), isBuilt, watching),
    followBuildLog: ({ serviceId, version, ...following }) =>
      followLog((request) => platform.getBuildLog.response({ serviceId, version, ...request }), following),
  };
}

function authenticationOf(
  credential: Credential | null,
  context: Readonly<Record<string, string>>,
): Pick<Connection, 'authenticate' | 'renewable'> {
  if (!credential) return { authenticate: () => Promise.resolve(context), renewable: false };
  if ('renewedSession' in credential) {
    let last: string | null = null;
    const authenticate = async (renew: boolean): Promise<Record<string, string>> => {
      last = await credential.renewedSession(renew ? last : null);
      return { authorization: `Bearer ${last}`, ...context };
    };
    return { authenticate, renewable: true };
  }
  const headers =
    'accessToken' in credential
      ? { 'x-auth-token': credential.accessToken, ...context }
      : { authorization: `Bearer ${credential.loginSession}`, ...context };
  return { authenticate: () => Promise.resolve(headers), renewable: false };
}

/** Returns whether the status of a build is final. */
export function isBuilt(build: Pick<Build, 'status'>): boolean {
  return build.status === 'SUCCEEDED' || build.status === 'FAILED';
}
