import { limits } from '@kethub/contract';
import { LongValue, REFERENCE_BYTES } from '@kethub/service-api';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { readGrant, subjectOf, type GrantedBy } from './grants.ts';
import { findPool } from './queries.ts';
import { roleOn } from './rights.ts';

/** The data pools that the input of an execution refers to. */
export interface ReferencedPools {
  /** The owner of the application for which the execution runs. This owner must be able to read the pools. */
  readonly reader: { readonly type: OwnerType; readonly id: string };
  readonly pools: readonly ReferencedPool[];
}

export interface ReferencedPool {
  readonly parameter: string;
  readonly id: string;
  /** The owner whose rights on the pool a grant has given to the execution. */
  readonly grantedBy?: GrantedBy;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The references to data pools in an input. Each of these parameters must be a reference, or absent, or null. Under
 * other names a reference is recognised by its form. Throws `invalid-request` for a malformed reference, and for a
 * grant that is not valid for this application.
 */
export function referencesIn(
  platform: Pick<Platform, 'seal' | 'now'>,
  input: object,
  parameters: readonly string[] | null,
  applicationId: string | null,
): ReferencedPools['pools'] {
  const declared = parameters ?? [];
  const open = namesOfReferences(input).filter((name) => !declared.includes(name));
  const references = [...declared, ...open].flatMap((parameter): ReferencedPool[] => {
    const value: unknown = Object.hasOwn(input, parameter) ? Reflect.get(input, parameter) : null;
    if (value === null) return [];
    const id = idOf(value, parameter);
    const token = grantIn(value, parameter);
    if (token === null) return [{ parameter, id }];
    const pointer = `/${parameter}/grant`;
    return [{ parameter, id, grantedBy: readGrant(platform, token, { poolId: id, applicationId, pointer }) }];
  });
  requireOneWriter(references);
  if (references.length <= limits.dataPoolsOfExecution) return references;
  throw new Problem('invalid-request', `An input may refer to at most ${limits.dataPoolsOfExecution} data pools.`);
}

/** Throws invalid-request for two writable copies of one pool: only one of them could replace its files. */
function requireOneWriter(references: readonly ReferencedPool[]): void {
  const written = references.filter(({ grantedBy }) => grantedBy?.permission === 'MODIFY').map(({ id }) => id);
  const twice = written.find((id, index) => written.indexOf(id) !== index);
  if (twice === undefined) return;
  throw new Problem(
    'invalid-request',
    `The data pool ${twice} has two grants of MODIFY in one input. Send one of them.`,
  );
}

/**
 * The references in the input of a workflow, recognised by their form: only the workflow knows to which tasks they go.
 */
export function referencesAmong(
  marked: readonly { readonly pointer: string; readonly value: unknown }[],
): ReferencedPools['pools'] {
  const references = new Map(marked.map(({ pointer, value }) => [idOf(value, pointer.slice(1)), pointer.slice(1)]));
  if (references.size <= limits.dataPoolsOfExecution)
    return [...references].map(([id, parameter]) => ({ parameter, id }));
  throw new Problem('invalid-request', `An input may refer to at most ${limits.dataPoolsOfExecution} data pools.`);
}

/** Names of the members of an input that refer to data pools. Each becomes the name of a folder in a container. */
function namesOfReferences(input: object): string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null || !['DATAPOOL', 'datapool'].includes(Reflect.get(value, 'ref')))
      return [];
    if (/^[^/\0.][^/\0]*$/.test(name) && Buffer.byteLength(name) <= limits.fileNameBytes) return [name];
    throw new Problem(
      'invalid-request',
      `The data pool ${JSON.stringify(name)} cannot be mounted: it cannot be the name of a folder.`,
    );
  });
}

function idOf(value: unknown, parameter: string): string {
  const pointer = `/${parameter}`;
  if (value instanceof LongValue) {
    const most = `a reference has at most ${REFERENCE_BYTES} bytes with its grant`;
    throw noReference(pointer, `is too long: ${most}, and this value has ${value.bytes}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noReference(pointer, 'is no object');
  const { id, ref } = value as { id?: unknown; ref?: unknown };
  if (ref !== 'DATAPOOL' && ref !== 'datapool') throw noReference(`${pointer}/ref`, 'must be "DATAPOOL"');
  if (typeof id !== 'string' || !UUID.test(id)) throw noReference(`${pointer}/id`, 'must be the UUID of a data pool');
  return id.toLowerCase();
}

/** The token of the grant in a reference, or null. */
function grantIn(value: unknown, parameter: string): string | null {
  const { grant = null } = value as { grant?: unknown };
  if (grant === null || typeof grant === 'string') return grant;
  throw noReference(`/${parameter}/grant`, 'must be the token of a grant');
}

function noReference(pointer: string, detail: string): Problem {
  return new Problem(
    'invalid-request',
    `A data pool is passed as {"id": "<uuid>", "ref": "DATAPOOL"}, but ${pointer} ${detail}.`,
    { errors: [{ pointer, detail }] },
  );
}

/**
 * Throws `data-pool-not-readable`: the same problem for a pool that does not exist and for one that the reader may not
 * see.
 */
export async function requireReadable(queries: Queries, { reader, pools }: ReferencedPools): Promise<void> {
  for (const { parameter, id, grantedBy } of pools) {
    const pool = await findPool(queries, id);
    const subject = grantedBy ? await subjectOf(queries, grantedBy) : { ...reader, role: 'OWNER' as const };
    if (pool && subject && (await roleOn(queries, pool, subject))) continue;
    throw new Problem(
      'data-pool-not-readable',
      `There is no data pool ${id}, or whoever the execution runs for, or has granted it, may not read it.`,
      { errors: [{ pointer: `/${parameter}/id`, detail: 'is not a data pool that can be read' }] },
    );
  }
}
