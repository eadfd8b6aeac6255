import type { OwnerType } from './owner.ts';

export interface PlatformTables {
  orphan_blobs: OrphanBlobRow;
  signing_keys: SigningKeyRow;
  installation: InstallationRow;
  idempotency_keys: IdempotencyKeyRow;
  storage_use: StorageUseRow;
  retention_rules: RetentionRuleRow;
  storage_quotas: StorageQuotaRow;
}

/** Bytes that an owner keeps, counted by triggers. The sum over the shards is what counts; one shard can be negative. */
export interface StorageUseRow {
  owner_type: OwnerType;
  owner_id: string;
  /** The connection that has counted on PostgreSQL, which is its process id there; 0 on SQLite. */
  shard: number;
  inputs: number;
  results: number;
  files: number;
  logs: number;
  data_pools: number;
  services: number;
}

/** How long an owner keeps what was executed: for all services, or for one. */
export interface RetentionRuleRow {
  owner_type: OwnerType;
  owner_id: string;
  /** Empty for all services. */
  service_id: string;
  keep_days: number;
}

/** A blob that no row refers to: not yet, or not any more. */
export interface OrphanBlobRow {
  blob: string;
  marked_at: number;
}

export interface SigningKeyRow {
  id: string;
  purpose: string;
  sealed_private_key: string;
  created_at: number;
}

/** What all processes on this database have in common; one row. */
export interface InstallationRow {
  id: 'this';
  /** A constant, sealed under the instance key. */
  sealed_check: string;
  /** A blob that lies in the store of all. */
  blob_store: string;
  created_at: number;
}

export interface IdempotencyKeyRow {
  scope: string;
  key: string;
  digest: string;
  answer: string;
  created_at: number;
}

/** What administrators allow one owner to keep. */
export interface StorageQuotaRow {
  owner_type: OwnerType;
  owner_id: string;
  /** Null is no limit. */
  bytes: number | null;
}
