import path from 'node:path';
import { Type, type Static, type TObject } from 'typebox';

/** Storage: its locations, limits, and retention. */
export interface Kept {
  readonly dataDir: string;
  /** null for SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** Connections of this process to PostgreSQL, beside the one that listens. */
  readonly databaseConnections: number;
  /** 32 bytes in hex; null for a key that is generated once and stored in the data folder. */
  readonly instanceKey: string | null;
  /** Days for which entries of the audit log are kept; null is forever. */
  readonly auditKeepDays: number | null;
  /** Milliseconds after which a new key signs; null is never. */
  readonly signingKeyMs: number | null;
  /** Most bytes of all files of a data pool. */
  readonly dataPoolBytes: number;
  /** Most bytes that an owner stores, unless administrators allow another amount; null is no limit. */
  readonly ownerStorageBytes: number | null;
  /** Bytes that stay free on the disks of data folder and blobs; null is 1 GiB, or 2 % of a smaller disk. */
  readonly freeDiskBytes: number | null;
  /** Days for which result, files and log of an ended execution are kept; null is forever. */
  readonly resultKeepDays: number | null;
  /** Days for which an ended execution is kept at all; null is forever. */
  readonly executionKeepDays: number | null;
}

export const KeptFields = {
  KETHUB_DATA_DIR: Type.String({
    default: '.kethub',
    description:
      'Data folder: database, blobs, keys and running executions. A relative path begins at the folder in which the command is run.',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'PostgreSQL to use. Default: SQLite in the data folder.',
    }),
  ),
  KETHUB_DATABASE_CONNECTIONS: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 16,
    description:
      'Most connections of this process to PostgreSQL, beside one for notifications; queries wait for a free one. With many workers set a small number, so that all processes together stay below max_connections of the server.',
  }),
  KETHUB_INSTANCE_KEY: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        '32 bytes in hex that seal secrets at rest. Default: made once and kept in `<data folder>/instance.key`.',
    }),
  ),
  KETHUB_AUDIT_KEEP_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 730,
    description:
      'Days for which the audit log keeps changes of rights, keys and publications. 0 keeps them for ever. The log of a person is deleted with the account.',
  }),
  KETHUB_SIGNING_KEY_DAYS: Type.Integer({
    minimum: 0,
    maximum: 3_650,
    default: 90,
    description:
      'Days after which a new key signs the bearer tokens of the gateway, and another one the tokens of the embedded identity provider. Tokens that the old key has signed stay valid until they expire. 0 keeps the first key for ever.',
  }),
  KETHUB_DATA_POOL_MB: Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    default: 51_200,
    description: 'Size of all files of one data pool together. One file has at most 5 GB in any case.',
  }),
  KETHUB_OWNER_STORAGE_MB: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 102_400,
    description:
      'Storage of one person or organization: inputs, results, result files and logs of executions, data pools, and uploaded versions with the logs of their builds. Administrators can allow one owner another amount (`ket admin quota`). 0 is no limit.',
  }),
  KETHUB_FREE_DISK_MB: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description:
        'Space that stays free on the disks of the data folder and of the blobs. With less, uploads are refused (507), builds fail, no execution starts, and the execution that uses the most space is ended. Default: 1,024, or 2 % of a smaller disk.',
    }),
  ),
  KETHUB_RESULT_KEEP_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 90,
    description:
      'Days for which result, result files and log of an execution are kept after its end. An owner can choose a shorter time (`ket storage keep`). Status, times, hashes and charges stay. 0 keeps everything for ever.',
  }),
  KETHUB_EXECUTION_KEEP_DAYS: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    default: 0,
    description:
      'Days after which an ended execution is deleted with everything that it left, also its status and record. Charges stay. 0 keeps executions for ever.',
  }),
};

export function keptOf(given: Static<TObject<typeof KeptFields>>): Kept {
  return {
    dataDir: path.resolve(given.KETHUB_DATA_DIR),
    databaseUrl: given.DATABASE_URL ?? null,
    databaseConnections: given.KETHUB_DATABASE_CONNECTIONS,
    instanceKey: given.KETHUB_INSTANCE_KEY ?? null,
    auditKeepDays: given.KETHUB_AUDIT_KEEP_DAYS || null,
    signingKeyMs: given.KETHUB_SIGNING_KEY_DAYS * 24 * 60 * 60 * 1000 || null,
    dataPoolBytes: given.KETHUB_DATA_POOL_MB * 1024 * 1024,
    ownerStorageBytes: given.KETHUB_OWNER_STORAGE_MB * 1024 * 1024 || null,
    freeDiskBytes: given.KETHUB_FREE_DISK_MB === undefined ? null : given.KETHUB_FREE_DISK_MB * 1024 * 1024,
    resultKeepDays: given.KETHUB_RESULT_KEEP_DAYS || null,
    executionKeepDays: given.KETHUB_EXECUTION_KEEP_DAYS || null,
  };
}
