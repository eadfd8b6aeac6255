export interface PlatformTables {
  unused_blobs: UnusedBlobRow;
  signing_keys: SigningKeyRow;
  installation: InstallationRow;
  idempotency_keys: IdempotencyKeyRow;
}

/** A blob that no row refers to: not yet, or not any more. */
export interface UnusedBlobRow {
  blob: string;
  noted_at: number;
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
