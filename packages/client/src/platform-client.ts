import type {
  ApiSpecification,
  AccessKey,
  AccessTokenDto,
  AccessTokensDto,
  Application,
  ApprovalStatus,
  Build,
  ChangeRegistrationRequest,
  ChangeShareRequest,
  CreateShareRequest,
  LogEntry,
  OwnedExecution,
  ProviderAccessToken,
  ProviderAccessTokenRequest,
  ExecutionRecord,
  ProvidedExecution,
  Registration,
  ManagedVersion,
  RuntimeConfiguration,
  Service,
  ServiceExecution,
  ServiceSubscription,
  ServiceVersion,
  Share,
  SharedService,
  SubscribeRequest,
  SigningKeyRenewal,
  Subscription,
  TargetRequest,
  UsageLimitsRequest,
  UsageRecord,
  UsageReport,
  UserDto,
  UserSearchDto,
} from '@kethub/contract';
import { path, send, sendForJson, sendForNothing, withoutSlash } from './connection.ts';
import type { Call, CallOptions, Connection } from './connection.ts';
import { dataPools } from './data-pools-client.ts';
import { executionsAt, startCall, type ExecutionInput, type StartOptions } from './executions-client.ts';
import { followLog, type FollowedEntry, type FollowOptions } from './follow-log.ts';
import { marketplaceAt } from './marketplace-client.ts';
import { organizationsAt } from './organizations-client.ts';
import { watch, type WatchOptions } from './watch.ts';
import { workflows } from './workflows-client.ts';

/** A personal access token, or the token of a login session. */
export type Credential = { readonly accessToken: string } | { readonly loginSession: string };

export interface PlatformClientOptions {
  /** {base_url}, for example http://localhost:8080/api. */
  readonly baseUrl: string;
  readonly credential: Credential;
  /** Acts within this organization instead of personally. */
  readonly organizationId?: string;
  readonly fetch?: typeof fetch;
}

export interface NewService {
  readonly name: string;
  readonly description?: string | undefined;
  readonly configuration?: Partial<RuntimeConfiguration> | undefined;
  /** The ZIP. A Blob of a file (`fs.openAsBlob`, or a file input) is streamed, not read into memory. */
  readonly source: Blob;
}

export interface RegistrationsQuery {
  readonly status?: ApprovalStatus | undefined;
  readonly email?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Where a service runs. A minute to answer when `timeoutSeconds` is left out. */
export type NewTarget = Omit<TargetRequest, 'timeoutSeconds'> & { readonly timeoutSeconds?: number };

export interface NewOnPremiseService {
  readonly name: string;
  readonly description?: string;
  readonly target: NewTarget;
}

/** The platform interface, as far as services, sharing, jobs, data pools, applications and access tokens go. Methods throw KethubError and UnreachableError. */
export type PlatformClient = ReturnType<typeof createPlatformClient>;

/** A client of the platform interface for one credential. */
export function createPlatformClient(options: PlatformClientOptions) {
  const { credential } = options;
  const headers: Record<string, string> = {
    ...('accessToken' in credential
      ? { 'x-auth-token': credential.accessToken }
      : { authorization: `Bearer ${credential.loginSession}` }),
    ...(options.organizationId !== undefined && { 'x-organizationid': options.organizationId }),
  };
  const connection: Connection = {
    baseUrl: withoutSlash(options.baseUrl),
    fetch: options.fetch ?? fetch,
    authenticate: () => Promise.resolve(headers),
    renewable: false,
  };
  return {
    ...accounts(connection),
    ...registrations(connection),
    ...services(connection),
    ...versions(connection),
    ...providerAccessTokens(connection),
    ...builds(connection),
    ...applications(connection),
    ...sharing(connection),
    ...jobs(connection),
    ...workflows(connection),
    ...dataPools(connection),
    ...marketplaceAt(connection),
    ...organizationsAt(connection),
  };
}

function accounts(connection: Connection) {
  return {
    me: (options?: CallOptions) => sendForJson<UserDto>(connection, { path: '/me', ...options }),
    /** People by a part of their name, best match first. */
    searchUsers: (text: string, options?: CallOptions) =>
      sendForJson<UserSearchDto[]>(connection, { path: `/search?q=${encodeURIComponent(text)}`, ...options }),
    /** Needs a login session. */
    accessTokens: (options?: CallOptions) =>
      sendForJson<AccessTokensDto>(connection, { path: '/me/access-tokens', ...options }),
    /** The answer carries the raw token, once. Needs a login session. */
    createAccessToken: (token: { name: string; expiresAt?: string | null }, options?: CallOptions) =>
      sendForJson<AccessTokenDto>(connection, { method: 'POST', path: '/me/access-tokens', json: token, ...options }),
    /** Needs a login session. */
    deleteAccessToken: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/me/access-tokens/${id}`, ...options }),
  };
}

/** For administrators. */
function registrations(connection: Connection) {
  return {
    registrations: (query: RegistrationsQuery, options?: CallOptions) =>
      sendForJson<Registration[]>(connection, { path: `/registrations${search(query)}`, ...options }),
    registration: (id: string, options?: CallOptions) =>
      sendForJson<Registration>(connection, { path: path`/registrations/${id}`, ...options }),
    renewSigningKeys: (options?: CallOptions) =>
      sendForJson<SigningKeyRenewal[]>(connection, { method: 'POST', path: '/signing-keys/renewal', ...options }),
    changeRegistration: (id: string, change: ChangeRegistrationRequest, options?: CallOptions) =>
      sendForJson<Registration>(connection, {
        method: 'PATCH',
        path: path`/registrations/${id}`,
        json: change,
        ...options,
      }),
  };
}

function search(query: RegistrationsQuery): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

function versions(connection: Connection) {
  const version = (id: string, number: string) => path`/services/${id}/versions/${number}`;
  return {
    apiSpecification: (id: string, number: string, options?: CallOptions) =>
      sendForJson<ApiSpecification>(connection, { path: `${version(id, number)}/api-specification`, ...options }),
    /** An OpenAPI document for a draft; `media` says whether it is JSON or YAML. */
    uploadApiSpecification: (
      id: string,
      number: string,
      document: Blob,
      media: 'application/json' | 'application/yaml',
      options?: CallOptions,
    ) =>
      sendForJson<ApiSpecification>(connection, {
        method: 'PUT',
        path: `${version(id, number)}/api-specification`,
        body: document,
        headers: { 'content-type': media },
        ...options,
      }),
    deleteApiSpecification: (id: string, number: string, options?: CallOptions) =>
      sendForNothing(connection, {
        method: 'DELETE',
        path: `${version(id, number)}/api-specification`,
        ...options,
      }),
    /** `sunset` as RFC 3339; now when it is left out. */
    retire: (id: string, number: string, sunset?: string, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'PUT',
        path: `${version(id, number)}/retirement`,
        json: sunset === undefined ? {} : { sunset },
        ...options,
      }),
    withdrawRetirement: (id: string, number: string, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'DELETE',
        path: `${version(id, number)}/retirement`,
        ...options,
      }),
  };
}

function providerAccessTokens(connection: Connection) {
  return {
    providerAccessTokens: (options?: CallOptions) =>
      sendForJson<ProviderAccessToken[]>(connection, { path: '/provider-access-tokens', ...options }),
    setProviderAccessToken: (provider: string, token: ProviderAccessTokenRequest, options?: CallOptions) =>
      sendForJson<ProviderAccessToken>(connection, {
        method: 'PUT',
        path: path`/provider-access-tokens/${provider}`,
        json: token,
        ...options,
      }),
    deleteProviderAccessToken: (provider: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/provider-access-tokens/${provider}`, ...options }),
  };
}

function services(connection: Connection) {
  return {
    services: (options?: CallOptions) => sendForJson<Service[]>(connection, { path: '/services', ...options }),
    service: (id: string, options?: CallOptions) =>
      sendForJson<Service>(connection, { path: path`/services/${id}`, ...options }),
    createService: (service: NewService, options?: CallOptions) =>
      sendForJson<Service>(connection, { method: 'POST', path: '/services', body: serviceForm(service), ...options }),
    /** A service that runs elsewhere; its first version is a draft. */
    createOnPremiseService: (service: NewOnPremiseService, options?: CallOptions) =>
      sendForJson<Service>(connection, {
        method: 'POST',
        path: '/services',
        json: { type: 'ON_PREMISE', ...service },
        ...options,
      }),
    updateService: (id: string, change: { name?: string; description?: string }, options?: CallOptions) =>
      sendForJson<Service>(connection, { method: 'PATCH', path: path`/services/${id}`, json: change, ...options }),
    deleteService: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/services/${id}`, ...options }),
    /** A new draft; 409 when there is one already. */
    createVersion: (id: string, source: Blob, options?: CallOptions) =>
      sendForJson<ManagedVersion>(connection, {
        ...zip('POST', path`/services/${id}/versions`, source),
        ...options,
      }),
    /** A new draft of a service that runs elsewhere. */
    createOnPremiseVersion: (id: string, target: NewTarget, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'POST',
        path: path`/services/${id}/versions`,
        json: { target },
        ...options,
      }),
    /** Credentials that are left out stay as they are; null removes them. */
    setTarget: (id: string, version: string, target: NewTarget, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'PUT',
        path: path`/services/${id}/versions/${version}/target`,
        json: target,
        ...options,
      }),
    /** What every subscription to a service may use whose own limits say nothing. */
    serviceLimits: (id: string, options?: CallOptions) =>
      sendForJson<UsageLimitsRequest>(connection, { path: path`/services/${id}/limits`, ...options }),
    setServiceLimits: (id: string, limits: UsageLimitsRequest, options?: CallOptions) =>
      sendForJson<UsageLimitsRequest>(connection, {
        method: 'PUT',
        path: path`/services/${id}/limits`,
        json: limits,
        ...options,
      }),
    /** The subscriptions to a service, as its provider sees them. */
    serviceSubscriptions: (id: string, options?: CallOptions) =>
      sendForJson<ServiceSubscription[]>(connection, { path: path`/services/${id}/subscriptions`, ...options }),
    setSubscriptionLimits: (id: string, subscription: string, limits: UsageLimitsRequest, options?: CallOptions) =>
      sendForJson<UsageLimitsRequest>(connection, {
        method: 'PUT',
        path: path`/services/${id}/subscriptions/${subscription}/limits`,
        json: limits,
        ...options,
      }),
    /** Use of a service that runs elsewhere, reported by its provider. A key makes a repeated report count once. */
    reportUsage: (
      id: string,
      report: Omit<UsageReport, 'test'> & { readonly test?: boolean },
      { key, ...options }: CallOptions & { readonly key?: string } = {},
    ) =>
      sendForJson<UsageRecord>(connection, {
        method: 'POST',
        path: path`/services/${id}/usage`,
        json: report,
        ...options,
        ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      }),
    version: (id: string, version: string, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, { path: path`/services/${id}/versions/${version}`, ...options }),
    /** Other source for a draft; the answer is the build that starts. */
    replaceSource: (id: string, version: string, source: Blob, options?: CallOptions) =>
      sendForJson<Build>(connection, {
        ...zip('PUT', path`/services/${id}/versions/${version}/source`, source),
        ...options,
      }),
    configure: (id: string, version: string, configuration: Partial<RuntimeConfiguration>, options?: CallOptions) =>
      sendForNothing(connection, {
        method: 'PUT',
        path: path`/services/${id}/versions/${version}/configuration`,
        json: configuration,
        ...options,
      }),
    publish: (id: string, version: string, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'PUT',
        path: path`/services/${id}/versions/${version}/publication`,
        json: { visibility: 'INTERNAL' },
        ...options,
      }),
  };
}

function builds(connection: Connection) {
  const build = (id: string, version: string) => path`/services/${id}/versions/${version}/build`;
  return {
    build: (id: string, version: string, options?: CallOptions) =>
      sendForJson<Build>(connection, { path: build(id, version), ...options }),
    /** The build now and at every change of its status, to the final one. */
    watchBuild: (id: string, version: string, options?: WatchOptions): AsyncGenerator<Build, void> =>
      watch<Build>(connection, { path: build(id, version) }, isBuilt, options),
    buildLog: (id: string, version: string, options?: CallOptions) =>
      sendForJson<LogEntry[]>(connection, { path: `${build(id, version)}/log`, ...options }),
    followBuildLog: (id: string, version: string, options?: FollowOptions): AsyncGenerator<FollowedEntry, void> =>
      followLog(
        (headers) => send(connection, { path: `${build(id, version)}/log`, headers, signal: options?.signal }),
        options,
      ),
  };
}

function applications(connection: Connection) {
  return {
    applications: (options?: CallOptions) =>
      sendForJson<Application[]>(connection, { path: '/applications', ...options }),
    application: (id: string, options?: CallOptions) =>
      sendForJson<Application>(connection, { path: path`/applications/${id}`, ...options }),
    /** The secret access key stands in clear in this answer. */
    createApplication: (name: string, options?: CallOptions) =>
      sendForJson<Application>(connection, { method: 'POST', path: '/applications', json: { name }, ...options }),
    deleteApplication: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/applications/${id}`, ...options }),
    revealSecret: async (id: string, accessKey: string, options?: CallOptions): Promise<string> => {
      const call = { path: path`/applications/${id}/access-keys/${accessKey}/secret`, ...options };
      return (await sendForJson<{ secretAccessKey: string }>(connection, call)).secretAccessKey;
    },
    /** A new key pair; the previous ones still work for so many seconds. */
    rotateAccessKey: (id: string, overlapSeconds: number, options?: CallOptions) =>
      sendForJson<AccessKey>(connection, {
        method: 'POST',
        path: path`/applications/${id}/access-keys`,
        json: { overlapSeconds },
        ...options,
      }),
    subscriptions: (id: string, options?: CallOptions) =>
      sendForJson<Subscription[]>(connection, { path: path`/applications/${id}/subscriptions`, ...options }),
    /** With `pricingPlanId` on a plan of the marketplace. */
    subscribe: (id: string, to: SubscribeRequest, options?: CallOptions) =>
      sendForJson<Subscription>(connection, {
        method: 'POST',
        path: path`/applications/${id}/subscriptions`,
        json: to,
        ...options,
      }),
    unsubscribe: (id: string, subscription: string, options?: CallOptions) =>
      sendForNothing(connection, {
        method: 'DELETE',
        path: path`/applications/${id}/subscriptions/${subscription}`,
        ...options,
      }),
  };
}

function sharing(connection: Connection) {
  const shares = (serviceId: string) => path`/services/${serviceId}/shares`;
  return {
    shares: (serviceId: string, options?: CallOptions) =>
      sendForJson<Share[]>(connection, { path: shares(serviceId), ...options }),
    createShare: (serviceId: string, share: CreateShareRequest, options?: CallOptions) =>
      sendForJson<Share>(connection, { method: 'POST', path: shares(serviceId), json: share, ...options }),
    changeShare: (serviceId: string, id: string, change: ChangeShareRequest, options?: CallOptions) =>
      sendForJson<Share>(connection, {
        method: 'PATCH',
        path: shares(serviceId) + path`/${id}`,
        json: change,
        ...options,
      }),
    deleteShare: (serviceId: string, id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: shares(serviceId) + path`/${id}`, ...options }),
    /** Services of others that are shared with the caller, or with the organization, now. */
    sharedServices: (options?: CallOptions) =>
      sendForJson<SharedService[]>(connection, { path: '/shared-services', ...options }),
  };
}

function list(query: Record<string, string | number | undefined>): string {
  return Object.entries(query)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join('&');
}

function jobs(connection: Connection) {
  return {
    /** Runs a version of a service as a person; without a version the newest published one. */
    startJob: (serviceId: string, version: string | null, input: ExecutionInput, options?: StartOptions) => {
      const address = version === null ? '' : path`/versions/${version}`;
      const service = path`/services/${serviceId}`;
      return sendForJson<ServiceExecution>(connection, startCall(`${service}${address}/executions`, input, options));
    },
    /** What was started for the caller, as jobs or by applications, newest first. */
    ownedExecutions: ({ signal, ...query }: CallOptions & { limit?: number; serviceId?: string } = {}) =>
      sendForJson<OwnedExecution[]>(connection, { path: `/service-executions?${list(query)}`, signal }),
    /** All executions of an own service, whoever started them, newest first. */
    providedExecutions: (serviceId: string, { signal, ...query }: CallOptions & { limit?: number } = {}) =>
      sendForJson<ProvidedExecution[]>(connection, {
        path: `${path`/services/${serviceId}/executions`}?${list(query)}`,
        signal,
      }),
    /** What is needed to run an execution of the caller again, and to trust it. */
    executionRecord: (id: string, { signal }: CallOptions = {}) =>
      sendForJson<ExecutionRecord>(connection, { path: path`/service-executions/${id}/record`, signal }),
    /** The same of an execution of an own service, whoever started it: hashes and sizes. */
    providedRecord: (serviceId: string, id: string, { signal }: CallOptions = {}) =>
      sendForJson<ExecutionRecord>(connection, {
        path: path`/services/${serviceId}/executions/${id}/record`,
        signal,
      }),
    /** One of what was started for the caller. */
    executions: executionsAt(connection, '/service-executions'),
  };
}

/** Whether a version is uploaded code, rather than something that runs elsewhere. */
export function isManaged(version: ServiceVersion): version is ManagedVersion {
  return version.build !== undefined;
}

/** Whether a build can still change. */
export function isBuilt(build: Pick<Build, 'status'>): boolean {
  return build.status === 'SUCCEEDED' || build.status === 'FAILED';
}

function zip(method: 'POST' | 'PUT', address: string, source: Blob): Call {
  return { method, path: address, body: source, headers: { 'content-type': 'application/zip' } };
}

/** Fields stand before the file: the platform judges them before it takes the upload. */
function serviceForm(service: NewService): FormData {
  const form = new FormData();
  form.set('name', service.name);
  if (service.description !== undefined) form.set('description', service.description);
  if (service.configuration) form.set('configuration', JSON.stringify(service.configuration));
  form.set('source', service.source, 'source.zip');
  return form;
}
