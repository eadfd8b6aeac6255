import { toTimestamp, type Implementation, type ImplementationMember, type MemberRole } from '@kethub/contract';
import { etag } from '../../foundation/http/index.ts';
import type { Addresses } from '../../foundation/platform.ts';
import type { ImplementationMemberRow, ImplementationRow } from '../../foundation/storage/index.ts';
import { presentProtection } from './protection.ts';

type Address = Pick<ImplementationRow, 'owner_id' | 'name'>;

/** {git_url}/<owner>/<name>.git */
export function cloneUrl({ git }: Addresses, { owner_id, name }: Address): string {
  return `${git}/${encodeURIComponent(owner_id)}/${name}.git`;
}

/** `names` are all names at which it answers. */
export function presentImplementation(
  addresses: Addresses,
  row: ImplementationRow,
  role: MemberRole,
  names: readonly Address[] = [],
): Implementation {
  const former = names.filter(({ owner_id, name }) => owner_id !== row.owner_id || name !== row.name);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    visibility: row.visibility,
    owner: { type: row.owner_type, id: row.owner_id },
    role,
    cloneUrl: cloneUrl(addresses, row),
    formerUrls: former.map((name) => cloneUrl(addresses, name)),
    defaultBranch: row.default_branch,
    head: row.head,
    buildable: row.buildable,
    bytes: row.bytes,
    readOnly: row.read_only,
    protection: presentProtection(row),
    ...(row.pushed_at !== null && { pushedAt: toTimestamp(row.pushed_at) }),
    createdAt: toTimestamp(row.created_at),
  };
}

/** The entity tag of an implementation as it is presented to this role. */
export function implementationTag({ revision, pushed_at }: ImplementationRow, role: MemberRole): string {
  return etag(`${revision}-${pushed_at ?? 0}-${role}`);
}

export function presentMember(row: ImplementationMemberRow): ImplementationMember {
  return { type: row.member_type, id: row.member_id, role: row.role, addedAt: toTimestamp(row.created_at) };
}
