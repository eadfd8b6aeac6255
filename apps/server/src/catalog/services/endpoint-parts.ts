import { Id, Version } from '@kethub/contract';
import { Type, type Static } from 'typebox';
import { contextOf } from '../../foundation/http/index.ts';
import type { Caller } from '../../foundation/platform.ts';
import type { VersionRef } from './versions.ts';

/** The group of these endpoints in the interface description. */
export const tag = 'Services';
export const servicePath = Type.Object({ serviceId: Id });
export const versionPath = Type.Object({ serviceId: Id, version: Version });
/** Problems of an endpoint that finds a service or version by its path. */
export const found = ['invalid-request', 'not-found'] as const;
/** Problems of a change under `If-Match`. */
export const change = [...found, 'stale'] as const;
/** Problems of an uploaded source. */
export const upload = [
  'invalid-archive',
  'too-large',
  'unsupported-media-type',
  'storage-quota-exceeded',
  'insufficient-storage',
] as const;
/** Problems of an `Idempotency-Key`. */
export const repeat = ['request-in-progress', 'idempotency-key-reused'] as const;

/** The version that a path names. */
export function refOf(caller: Caller, { serviceId, version }: Static<typeof versionPath>): VersionRef {
  return { owner: contextOf(caller), serviceId, version };
}
