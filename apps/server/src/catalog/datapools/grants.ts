import { timingSafeEqual } from 'node:crypto';
import type { MemberRole } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { auditContext, roleIn, type Subject } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import { requirePool } from './rights.ts';

export const grantPermissions = ['VIEW', 'MODIFY'] as const;
type GrantPermission = (typeof grantPermissions)[number];

/** The owner whose rights on a data pool an execution has, in place of the owner of its application. */
export interface GrantedBy {
  readonly type: OwnerType;
  readonly id: string;
  readonly personId: string;
  /** Absent in executions that an older version accepted: these only read. */
  readonly permission?: GrantPermission;
}

/** Seconds for which a grant is valid. Afterwards it is refused as expired. */
const LIFETIME = 3_600;
const PURPOSE = 'data pool grant';
const HEADER = encoded({ alg: 'HS256', typ: 'JWT' });

interface Claims {
  readonly sub: string;
  readonly owner: { readonly type: OwnerType; readonly id: string };
  readonly pool: string;
  readonly application: string;
  readonly permission: GrantPermission;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
}

/**
 * Makes a grant as a JSON Web Token. With it an execution of the application reads the pool with the rights of the
 * caller, also when the owner of the application has none. Nothing is stored: the rights of the caller are checked
 * again when the grant is used. With MODIFY the execution changes the pool, which takes the right to write. Throws
 * not-found and not-permitted.
 */
export async function makeGrant(
  platform: Platform,
  context: Context,
  poolId: string,
  { applicationId, permission }: { readonly applicationId: string; readonly permission: GrantPermission },
): Promise<string> {
  const { database, seal } = platform;
  const operation = permission === 'MODIFY' ? 'data-pool-file:write' : 'data-pool:read';
  await database.write(async (transaction) => {
    const { pool } = await requirePool(transaction, context, poolId, operation);
    const detail = { applicationId, permission };
    await audit(platform, transaction, auditContext(pool, context), 'data-pool:grant', poolId, detail);
  });
  const iat = Math.floor(platform.now() / 1000);
  const { type, id, personId: sub } = context;
  const claims: Claims = {
    sub,
    owner: { type, id },
    pool: poolId,
    application: applicationId,
    permission,
    iat,
    exp: iat + LIFETIME,
  };
  const signed = `${HEADER}.${encoded(claims)}`;
  return `${signed}.${signature(seal, signed)}`;
}

/** Reads the owner whose rights a grant gives. Throws invalid-request for a forged, expired or foreign grant. */
export function readGrant(
  { seal, now }: Pick<Platform, 'seal' | 'now'>,
  token: string,
  { poolId, applicationId, pointer }: { poolId: string; applicationId: string | null; pointer: string },
): GrantedBy {
  const refuse = (detail: string): Problem =>
    new Problem('invalid-request', `The grant of the data pool ${poolId} ${detail}.`, {
      errors: [{ pointer, detail }],
    });
  const [header = '', payload = '', given = '', ...more] = token.split('.');
  const expected = signature(seal, `${header}.${payload}`);
  if (more.length > 0 || header !== HEADER || !isSame(given, expected)) throw refuse('was not made by this platform');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  if (claims.exp * 1000 <= now()) throw refuse('has expired: ask for a new one');
  if (claims.pool !== poolId) throw refuse('is for another data pool');
  if (claims.application !== applicationId)
    throw refuse(applicationId === null ? 'is for an application, and this is a job' : 'is for another application');
  return { ...claims.owner, personId: claims.sub, permission: claims.permission };
}

/**
 * The subject of a grant: its maker, with the role that they have now. Null when the maker is no member any more, or
 * when their account is blocked.
 */
export async function subjectOf(queries: Queries, { type, id, personId }: GrantedBy): Promise<Subject | null> {
  const blocked = queries.selectFrom('blocked_users').select('user_id').where('user_id', '=', personId);
  if (await blocked.executeTakeFirst()) return null;
  const role: MemberRole | null = type === 'USER' ? 'OWNER' : await roleIn(queries, id, personId);
  return role && { type, id, role };
}

function signature(seal: Platform['seal'], signed: string): string {
  return Buffer.from(seal.mac(PURPOSE, signed), 'hex').toString('base64url');
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
