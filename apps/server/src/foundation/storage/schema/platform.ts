import type { Generated } from 'kysely';
import type { OwnerType } from './owner.ts';

export interface PlatformTables {
  orphan_blobs: OrphanBlobRow;
  signing_keys: SigningKeyRow;
  installation: InstallationRow;
  processes: ProcessRow;
  idempotency_keys: IdempotencyKeyRow;
  storage_use: StorageUseRow;
  retention_rules: RetentionRuleRow;
  storage_quotas: StorageQuotaRow;
}

/** Bytes that an owner stores, counted by triggers. The total is the sum over the shards; one shard can be negative. */
interface StorageUseRow {
  owner_type: OwnerType;
  owner_id: string;
  /** On PostgreSQL, the process id of the connection that has counted; 0 on SQLite. */
  shard: number;
  inputs: number;
  results: number;
  files: number;
  logs: number;
  data_pools: number;
  services: number;
}

/** Retention that an owner has chosen for results, for all services or for one. */
interface RetentionRuleRow {
  owner_type: OwnerType;
  owner_id: string;
  /** Empty for all services. */
  service_id: string;
  keep_days: number;
}

/** A blob to which no row refers yet, or any more. */
interface OrphanBlobRow {
  blob: string;
  marked_at: number;
}

interface SigningKeyRow {
  id: string;
  purpose: string;
  sealed_private_key: string;
  created_at: number;
}

/** A process, as it has last reported itself. */
interface ProcessRow {
  id: string;
  host: string;
  /** Separated by commas. */
  roles: string;
  version: string;
  /** The last migration that it knows. */
  schema: string;
  worker_id: string | null;
  /** Driver of Python services, beside containers; null without the role `worker`. */
  driver: 'SANDBOX' | 'KUBERNETES' | 'SLURM' | null;
  /** The disk of its data folder; null where it cannot be asked. */
  disk_bytes: number | null;
  disk_free_bytes: number | null;
  /** Sentence about what keeps it from running user code; null if nothing does. */
  problem: string | null;
  started_at: number;
  seen_at: number;
}

/** Instance key and store of blobs that all processes on this database must have in common; one row. */
interface InstallationRow {
  id: 'this';
  /** A constant, sealed under the instance key. */
  sealed_check: string;
  /** Key of a blob that identifies the store. */
  blob_store: string;
  /** Until then no blob is removed: a backup copies them. */
  blobs_held_until: Generated<number>;
  created_at: number;
}

interface IdempotencyKeyRow {
  scope: string;
  key: string;
  digest: string;
  answer: string;
  created_at: number;
}

/** Quota of storage that administrators have set for an owner. */
interface StorageQuotaRow {
  owner_type: OwnerType;
  owner_id: string;
  /** Null is no limit. */
  bytes: number | null;
}
