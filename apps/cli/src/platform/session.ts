import { createGatewayClient, createPlatformClient } from '@kethub/client';
import type { ExecutionsEndpoint, GatewayClient, PlatformClient } from '@kethub/client';
import type { Application, Subscription } from '@kethub/contract';
import { CliFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { readCredentials } from './credentials.ts';
import { DEFAULT_PROFILE, profileOf } from './profiles.ts';

/** The signed-in user's connection to the platform and, through the application `ket`, to services. */
export interface Session {
  /** Address of the platform. */
  readonly url: string;
  /** The organization for which ket acts; null for the user. */
  readonly organizationId: string | null;
  readonly platform: PlatformClient;
  /**
   * The application `ket`, created when missing. This needs the role MAINTAINER, so only commands that change something
   * call it.
   */
  application(): Promise<Application>;
  /** Subscriptions of the application `ket`; empty while it does not exist. Changes nothing. */
  subscriptions(): Promise<Subscription[]>;
  subscribe(serviceId: string, version: string): Promise<Subscription>;
  /** A client of a subscribed service. */
  gateway(endpoint: string): Promise<GatewayClient>;
  /** Executions started for the user, as jobs or by applications. */
  readonly jobs: ExecutionsEndpoint;
  /**
   * The executions at this address, through the application `ket`. Without that application: the user's own executions.
   * Changes nothing.
   */
  executionsAt(endpoint: string): Promise<ExecutionsEndpoint>;
}

/** Name of the application through which the command line calls services. */
const applicationName = 'ket';

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
  const known = once(() => findApplication(platform));
  const application = once(async () => (await known()) ?? createApplication(platform));
  const gateway = once(async () => openGateway(platform, await application()));
  const at = async (endpoint: string): Promise<GatewayClient> => (await gateway()).at(endpoint);
  const jobs = platform.executions;
  return {
    url,
    organizationId,
    platform,
    application,
    subscriptions: async () => subscriptionsOf(platform, await known()),
    subscribe: async (serviceId, version) =>
      platform.subscribe({ applicationId: (await application()).id, json: { serviceId, version } }),
    gateway: at,
    jobs,
    executionsAt: async (endpoint) => (endpoint === jobs.endpoint || !(await known()) ? jobs : at(endpoint)),
  };
}

/** The value of `--in` that makes ket act for the user, even if `ket org use` has chosen an organization. */
const PERSONALLY = 'me';

/**
 * The organization for which ket acts, or null for the user. The first of: `--in`, KET_ORGANIZATION and, after `ket
 * login`, `ket org use`.
 */
export async function organizationOf(shell: Shell): Promise<string | null> {
  const { organization, environment } = shell;
  const named = organization ?? (environment['KET_ORGANIZATION'] || undefined);
  if (named !== undefined) return named === PERSONALLY ? null : named;
  // The token of the environment may belong to another user.
  if (usesToken(shell)) return null;
  return (await readCredentials(shell))?.organizationId ?? null;
}

/** Returns whether KET_TOKEN replaces the stored credentials. A profile that the command line names goes before it. */
export function usesToken({ environment, profile }: Pick<Shell, 'environment' | 'profile'>): boolean {
  return Boolean(environment['KET_TOKEN']) && profile === undefined;
}

export async function credentialsOf(shell: Shell): Promise<{ url: string; accessToken: string }> {
  const { KET_TOKEN: accessToken, KET_URL: url } = shell.environment;
  if (accessToken && usesToken(shell)) return { url: platformUrl(url ?? defaultUrl), accessToken };
  const stored = await readCredentials(shell);
  if (stored) return stored;
  const profile = await profileOf(shell);
  if (profile === DEFAULT_PROFILE) throw new CliFailure('signedOut', 'not-signed-in', 'Not signed in.', ['ket login']);
  throw new CliFailure('signedOut', 'not-signed-in', `Nobody is signed in with the profile ${profile}.`, [
    `ket login <address> --profile ${profile}`,
    'ket profile list',
  ]);
}

export const defaultUrl = 'http://localhost:8080';

/** The address of the platform: the one given, else KET_URL, else that of the profile, else the default. */
export async function addressOf(shell: Shell, given?: string): Promise<string> {
  const named = given ?? shell.environment['KET_URL'] ?? (await readCredentials(shell))?.url;
  return platformUrl(named ?? defaultUrl);
}

/** The address of a platform in the stored form: origin and path, without a slash or `/api` at the end. */
export function platformUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `http://${text}`);
  if (!url) throw new CliFailure('usage', 'usage', `${text} is no address of a platform.`, [`ket login ${defaultUrl}`]);
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/api$/, '');
}

/** The oldest application of that name. */
async function findApplication(platform: PlatformClient): Promise<Application | undefined> {
  return (await platform.listApplications()).findLast(({ name }) => name === applicationName);
}

/** Creates the application. If two processes do so at once, both use the oldest. */
async function createApplication(platform: PlatformClient): Promise<Application> {
  const created = await platform.createApplication({ json: { name: applicationName } });
  return (await findApplication(platform)) ?? created;
}

function subscriptionsOf(platform: PlatformClient, application: Application | undefined): Promise<Subscription[]> {
  return application ? platform.listSubscriptions({ applicationId: application.id }) : Promise.resolve([]);
}

async function openGateway(platform: PlatformClient, application: Application): Promise<GatewayClient> {
  const key = application.accessKeys.find(({ expiresAt }) => expiresAt === null);
  if (!key)
    throw new CliFailure(
      'refused',
      'no-access-key',
      `The application "${application.name}" has no access key that is valid.`,
      [`ket app rotate ${application.id}    (makes a new one)`],
    );
  const secretAccessKey = (await platform.revealSecretAccessKey({ applicationId: application.id, keyId: key.id }))
    .secretAccessKey;
  const { tokenEndpoint } = application;
  return createGatewayClient({ tokenEndpoint, endpoint: tokenEndpoint, accessKeyId: key.accessKeyId, secretAccessKey });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
