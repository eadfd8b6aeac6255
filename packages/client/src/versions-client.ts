import type {
  ApiSpecification,
  Build,
  LogEntry,
  ManagedVersion,
  RuntimeConfiguration,
  ServiceVersion,
  Visibility,
} from '@kethub/contract';
import { path, send, sendForJson, sendForNothing, type Call, type CallOptions, type Connection } from './connection.ts';
import { followLog, type FollowedEntry, type FollowOptions } from './follow-log.ts';
import { watch, type WatchOptions } from './watch.ts';
import type { NewTarget } from './services-client.ts';

export function versionsAt(connection: Connection) {
  return {
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
        path: `${at(id, version)}/target`,
        json: target,
        ...options,
      }),
    version: (id: string, version: string, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, { path: at(id, version), ...options }),
    /** Other source for a draft; the answer is the build that starts. */
    replaceSource: (id: string, version: string, source: Blob, options?: CallOptions) =>
      sendForJson<Build>(connection, {
        ...zip('PUT', `${at(id, version)}/source`, source),
        ...options,
      }),
    configure: (id: string, version: string, configuration: Partial<RuntimeConfiguration>, options?: CallOptions) =>
      sendForNothing(connection, {
        method: 'PUT',
        path: `${at(id, version)}/configuration`,
        json: configuration,
        ...options,
      }),
    /** Publishes a version, or changes the visibility of a published one. */
    publish: (
      id: string,
      version: string,
      { visibility = 'INTERNAL', ...options }: CallOptions & { readonly visibility?: Visibility } = {},
    ) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'PUT',
        path: `${at(id, version)}/publication`,
        json: { visibility },
        ...options,
      }),
    apiSpecification: (id: string, version: string, options?: CallOptions) =>
      sendForJson<ApiSpecification>(connection, { path: `${at(id, version)}/api-specification`, ...options }),
    /** An OpenAPI document for a draft; `media` says whether it is JSON or YAML. */
    uploadApiSpecification: (
      id: string,
      version: string,
      document: Blob,
      media: 'application/json' | 'application/yaml',
      options?: CallOptions,
    ) =>
      sendForJson<ApiSpecification>(connection, {
        method: 'PUT',
        path: `${at(id, version)}/api-specification`,
        body: document,
        headers: { 'content-type': media },
        ...options,
      }),
    deleteApiSpecification: (id: string, version: string, options?: CallOptions) =>
      sendForNothing(connection, {
        method: 'DELETE',
        path: `${at(id, version)}/api-specification`,
        ...options,
      }),
    /** `sunset` as RFC 3339; now when it is left out. */
    retire: (id: string, version: string, sunset?: string, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'PUT',
        path: `${at(id, version)}/retirement`,
        json: sunset === undefined ? {} : { sunset },
        ...options,
      }),
    withdrawRetirement: (id: string, version: string, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'DELETE',
        path: `${at(id, version)}/retirement`,
        ...options,
      }),
  };
}

export function buildsAt(connection: Connection) {
  const build = (id: string, version: string) => `${at(id, version)}/build`;
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

/** Whether a version is uploaded code, rather than something that runs elsewhere. */
export function isManaged(version: ServiceVersion): version is ManagedVersion {
  return version.build !== undefined;
}

/** Whether a build can still change. */
export function isBuilt(build: Pick<Build, 'status'>): boolean {
  return build.status === 'SUCCEEDED' || build.status === 'FAILED';
}

function at(id: string, version: string): string {
  return path`/services/${id}/versions/${version}`;
}

function zip(method: 'POST' | 'PUT', address: string, source: Blob): Call {
  return { method, path: address, body: source, headers: { 'content-type': 'application/zip' } };
}
