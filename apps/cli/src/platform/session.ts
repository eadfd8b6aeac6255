import { createGatewayClient, createPlatformClient } from '@kethub/client';
import type { ExecutionsClient, GatewayClient, PlatformClient } from '@kethub/client';
import type { Application, Subscription } from '@kethub/contract';
import { CliFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { readCredentials } from './credentials.ts';

/** Where executions are started and seen: a service at the gateway, or the platform interface, as oneself. */
export interface Door extends ExecutionsClient {
  /** With a slash at the end. */
  readonly endpoint: string;
}

/** The signed-in user's way to the platform and, through the application `ket`, to services. */
export interface Session {
  /** Address of the platform. */
  readonly url: string;
  /** In which it acts; null is personally. */
  readonly organizationId: string | null;
  readonly platform: PlatformClient;
  /** The application `ket`; it is made on first need. */
  application(): Promise<Application>;
  subscriptions(): Promise<Subscription[]>;
  subscribe(serviceId: string, version: string): Promise<Subscription>;
  /** A client of a subscribed service. */
  gateway(endpoint: string): Promise<GatewayClient>;
  /** Everything that was started for the user, as jobs or by applications. */
  readonly jobs: Door;
  /** The door that has this address. */
  door(endpoint: string): Promise<Door>;
}

/** Name of the application through which the command line calls services. */
export const applicationName = 'ket';

/** {base_url} of the platform at this address. */
export function apiUrl(url: string): string {
  return `${url}/api`;
}

/** Opens the session of `ket login`, or of KET_URL and KET_TOKEN. Throws when nobody is signed in. */
export async function openSession(shell: Shell): Promise<Session> {
  const { url, accessToken } = await credentialsOf(shell);
  const organizationId = await organizationOf(shell);
  const platform = createPlatformClient({
    baseUrl: apiUrl(url),
    credential: { accessToken },
    ...(organizationId !== null && { organizationId }),
  });
  const application = once(() => ensureApplication(platform));
  const gateway = once(async () => openGateway(platform, await application()));
  const at = async (endpoint: string): Promise<GatewayClient> => (await gateway()).at(endpoint);
  const jobs: Door = { ...platform.executions, endpoint: `${apiUrl(url)}/service-executions/` };
  return {
    url,
    organizationId,
    platform,
    application,
    subscriptions: async () => platform.subscriptions((await application()).id),
    subscribe: async (serviceId, version) => platform.subscribe((await application()).id, { serviceId, version }),
    gateway: at,
    jobs,
    door: async (endpoint) => (endpoint === jobs.endpoint ? jobs : at(endpoint)),
  };
}

/** What `--in` takes to act personally although `ket org use` has named an organization. */
const PERSONALLY = 'me';

/**
 * The organization to act in, or null to act personally: that of `--in`, of KET_ORGANIZATION or, for who has signed in with
 * `ket login`, of `ket org use`.
 */
export async function organizationOf({ organization, environment }: Shell): Promise<string | null> {
  const named = organization ?? (environment['KET_ORGANIZATION'] || undefined);
  if (named !== undefined) return named === PERSONALLY ? null : named;
  // A token of the environment may be somebody else's.
  if (environment['KET_TOKEN']) return null;
  return (await readCredentials(environment))?.organizationId ?? null;
}

async function credentialsOf(shell: Shell): Promise<{ url: string; accessToken: string }> {
  const { KET_TOKEN: accessToken, KET_URL: url } = shell.environment;
  if (accessToken) return { url: platformUrl(url ?? defaultUrl), accessToken };
  const stored = await readCredentials(shell.environment);
  if (!stored) throw new CliFailure('signedOut', 'not-signed-in', 'Not signed in.', ['ket login']);
  return stored;
}

export const defaultUrl = 'http://localhost:8080';

/** The address of a platform as it is stored: an origin and path, no slash or `/api` at the end. */
export function platformUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (!url) throw new CliFailure('usage', 'usage', `${text} is no address of a platform.`, [`ket login ${defaultUrl}`]);
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/api$/, '');
}

async function ensureApplication(platform: PlatformClient): Promise<Application> {
  // The oldest counts, also after creating: two that start at once agree on one.
  const find = async () => (await platform.applications()).findLast(({ name }) => name === applicationName);
  const known = await find();
  if (known) return known;
  const created = await platform.createApplication(applicationName);
  return (await find()) ?? created;
}

async function openGateway(platform: PlatformClient, application: Application): Promise<GatewayClient> {
  const key = application.accessKeys.find(({ expiresAt }) => expiresAt === null);
  if (!key)
    throw new CliFailure(
      'refused',
      'no-access-key',
      `The application "${application.name}" has no access key that is valid.`,
      ['Open the application in the dashboard and make a new access key.'],
    );
  const secretAccessKey = await platform.revealSecret(application.id, key.id);
  const { tokenEndpoint } = application;
  return createGatewayClient({ tokenEndpoint, endpoint: tokenEndpoint, accessKeyId: key.accessKeyId, secretAccessKey });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
