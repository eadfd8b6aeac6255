import type { ChangeShareRequest, CreateShareRequest, Share, SharedService } from '@kethub/contract';
import { path, sendForJson, sendForNothing, type CallOptions, type Connection } from './connection.ts';

export function sharingAt(connection: Connection) {
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
