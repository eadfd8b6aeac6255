import type { RuntimeConfiguration, Service, TargetRequest } from '@kethub/contract';
import { path, query, sendForJson, sendForNothing, type CallOptions, type Connection } from './connection.ts';

export interface NewService {
  readonly name: string;
  readonly description?: string | undefined;
  readonly configuration?: Partial<RuntimeConfiguration> | undefined;
  /** The ZIP. A Blob of a file (`fs.openAsBlob`, or a file input) is streamed, not read into memory. */
  readonly source: Blob;
}

/** Where a service runs. A minute to answer when `timeoutSeconds` is left out. */
export type NewTarget = Omit<TargetRequest, 'timeoutSeconds'> & { readonly timeoutSeconds?: number };

export interface NewOnPremiseService {
  readonly name: string;
  readonly description?: string;
  readonly target: NewTarget;
}

export function servicesAt(connection: Connection) {
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
    /** With `force` also one with subscriptions: those who have subscribed are told. */
    deleteService: (id: string, { force, ...options }: CallOptions & { force?: boolean } = {}) =>
      sendForNothing(connection, {
        method: 'DELETE',
        path: `${path`/services/${id}`}${query({ force: force === true ? 'true' : undefined })}`,
        ...options,
      }),
  };
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
