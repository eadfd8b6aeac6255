import { Type, type Static } from 'typebox';
import { Id, nullable } from './fields.ts';

const bytes = (description: string) => Type.Integer({ minimum: 0, description });

/** Days of retention, at most as many as an operator can set. */
const KeepDays = Type.Integer({ minimum: 1, maximum: 36_500 });

export const RetentionRequest = Type.Object(
  {
    keepDays: Type.Optional(
      Type.Union([KeepDays, Type.Null()], {
        description: 'Days after the end of any execution. Null, or left out: as long as the platform keeps them.',
      }),
    ),
    services: Type.Optional(
      Type.Array(Type.Object({ serviceId: Id, keepDays: KeepDays }, { additionalProperties: false }), {
        maxItems: 1_000,
        description: 'Shorter times for what was executed of single services, own ones or those of others.',
      }),
    ),
  },
  {
    $id: 'RetentionRequest',
    additionalProperties: false,
    description: 'The time for which results, result files and logs are kept. The shortest time that applies counts.',
  },
);
export type RetentionRequest = Static<typeof RetentionRequest>;

export const StorageUsage = Type.Object(
  {
    usedBytes: bytes('All that follows, together.'),
    quotaBytes: nullable('integer', { description: 'Bytes that may be used; null is no limit.' }),
    inputBytes: bytes('Inputs of executions that have not ended.'),
    resultBytes: bytes('Results and records of executions.'),
    fileBytes: bytes('Result files, as they are downloaded.'),
    logBytes: bytes('Logs of executions.'),
    dataPoolBytes: bytes('Files in own data pools.'),
    serviceBytes: bytes('Uploaded versions of own services, and the logs of their builds.'),
    keepDays: nullable('integer', {
      description: 'The time for which the platform keeps results, result files and logs; null is for good.',
    }),
    retention: Type.Object({
      keepDays: nullable('integer', { description: 'The own, shorter time; null without one.' }),
      services: Type.Array(Type.Object({ serviceId: Id, keepDays: KeepDays })),
    }),
  },
  { $id: 'StorageUsage', description: 'Bytes that the caller, or the organization, keeps on the platform.' },
);
export type StorageUsage = Static<typeof StorageUsage>;

export const StorageQuotaRequest = Type.Object(
  {
    quotaBytes: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
        description: 'Bytes; null is no limit. Left out: what the installation allows everybody.',
      }),
    ),
  },
  { $id: 'StorageQuotaRequest', additionalProperties: false },
);
export type StorageQuotaRequest = Static<typeof StorageQuotaRequest>;

export const StorageQuota = Type.Object(
  {
    ownerType: Type.Enum(['USER', 'ORGANIZATION']),
    ownerId: Type.String(),
    usedBytes: bytes('Bytes that the owner keeps.'),
    quotaBytes: nullable('integer', { description: 'Bytes that it may keep; null is no limit.' }),
  },
  { $id: 'StorageQuota' },
);
export type StorageQuota = Static<typeof StorageQuota>;

export const StorageRecount = Type.Object(
  {
    owners: Type.Integer({ description: 'Number of owners that were counted.' }),
    corrected: Type.Array(
      Type.Object({
        ownerType: Type.Enum(['USER', 'ORGANIZATION']),
        ownerId: Type.String(),
        before: Type.Integer({ description: 'Bytes that had been counted.' }),
        after: Type.Integer({ description: 'Bytes that are there.' }),
      }),
    ),
  },
  { $id: 'StorageRecount', description: 'Outcome of counting everything anew.' },
);
export type StorageRecount = Static<typeof StorageRecount>;
