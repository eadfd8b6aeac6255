import type {
  RetentionRequest,
  StorageQuota,
  StorageQuotaRequest,
  StorageRecount,
  StorageUsage,
} from '@kethub/contract';
import { path, sendForJson, type CallOptions, type Connection } from './connection.ts';

/** What the caller, or the organization, keeps on the platform; for administrators, what anybody may keep. */
export function storageAt(connection: Connection) {
  return {
    storage: (options?: CallOptions) => sendForJson<StorageUsage>(connection, { path: '/storage', ...options }),
    /** Replaces the times that were chosen before. */
    setRetention: (wanted: RetentionRequest, options?: CallOptions) =>
      sendForJson<StorageUsage>(connection, { method: 'PUT', path: '/storage/retention', json: wanted, ...options }),
    /** For administrators. */
    setStorageQuota: (
      ownerType: StorageQuota['ownerType'],
      ownerId: string,
      quota: StorageQuotaRequest,
      options?: CallOptions,
    ) =>
      sendForJson<StorageQuota>(connection, {
        method: 'PUT',
        path: path`/storage/quotas/${ownerType}/${ownerId}`,
        json: quota,
        ...options,
      }),
    /** For administrators: counts anew what everybody keeps. */
    recountStorage: (options?: CallOptions) =>
      sendForJson<StorageRecount>(connection, { method: 'POST', path: '/storage/recount', ...options }),
  };
}
