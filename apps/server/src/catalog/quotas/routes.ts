import {
  limits,
  RetentionRequest,
  StorageQuota,
  StorageQuotaRequest,
  StorageRecount,
  StorageUsage,
  WITHOUT_NUL,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  personOf,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { showStorage } from './read-storage.ts';
import { recountStorage } from './recount.ts';
import { setRules } from './retention.ts';
import { setQuota } from './set-quota.ts';

const tag = 'Storage';
const ownerPath = Type.Object({
  ownerType: Type.Enum(['USER', 'ORGANIZATION']),
  ownerId: Type.String({ minLength: 1, maxLength: limits.idLength, pattern: WITHOUT_NUL }),
});

/** Endpoints for the storage of an owner: its use, its quota, and the retention of results. */
export const storageEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/storage',
    id: 'getStorage',
    tag,
    access: 'storage:read',
    summary: 'Read what the caller, or the organization, keeps on the platform, and may keep',
    answers: { 200: StorageUsage },
    problems: [],
    run: ({ caller }) => showStorage(platform, contextOf(caller)),
  }),
  endpoint({
    method: 'PUT',
    path: '/storage/retention',
    id: 'setRetention',
    tag,
    access: 'storage:change',
    summary: 'Choose how long results, result files and logs are kept',
    description:
      'Only shorter times than those of the platform have an effect. What is older is deleted within an hour, and cannot be had back. Status, times, record and what was charged stay.',
    body: RetentionRequest,
    answers: { 200: StorageUsage },
    problems: ['not-found'],
    run: ({ caller, body }) => setRules(platform, contextOf(caller), body),
  }),
  endpoint({
    method: 'PUT',
    path: '/storage/quotas/:ownerType/:ownerId',
    id: 'setStorageQuota',
    tag,
    access: 'ADMINISTRATOR',
    summary: 'Allow one person or organization another amount of storage than everybody',
    params: ownerPath,
    body: StorageQuotaRequest,
    answers: { 200: StorageQuota },
    problems: ['not-found'],
    run: ({ params, body, caller }) =>
      setQuota(platform, personOf(caller), { type: params.ownerType, id: params.ownerId }, body),
  }),
  endpoint({
    method: 'POST',
    path: '/storage/recount',
    id: 'recountStorage',
    tag,
    access: 'ADMINISTRATOR',
    summary: 'Count anew what every owner keeps, and correct what is counted',
    description: 'Takes as long as there are executions to count. Nothing is deleted.',
    answers: { 200: StorageRecount },
    problems: [],
    run: ({ caller }) => recountStorage(platform, personOf(caller)),
  }),
];
