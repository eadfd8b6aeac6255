import { memberRoles, type MemberRole } from '@kethub/contract';
import type { Context } from '../../foundation/platform.ts';
import type { OwnerType } from '../../foundation/storage/index.ts';

/** The owner in whose name a person acts, and the role of the person there. */
export interface Subject {
  readonly type: OwnerType;
  readonly id: string;
  readonly role: MemberRole;
}

/** The columns that say whose a resource is. */
interface OwnedRow {
  readonly owner_type: OwnerType;
  readonly owner_id: string;
}

/** The lower of a granted role and the caller's role in the organization; without a granted role, the latter. */
export function restrict(granted: MemberRole | null, { role }: Pick<Subject, 'role'>): MemberRole {
  return granted && memberRoles.indexOf(granted) < memberRoles.indexOf(role) ? granted : role;
}

export function isOwner({ owner_type, owner_id }: OwnedRow, { type, id }: Pick<Subject, 'type' | 'id'>): boolean {
  return owner_type === type && owner_id === id;
}

/** The context that records a change in the audit log of the owner, also when another person makes it. */
export function auditContext({ owner_type, owner_id }: OwnedRow, context: Context): Context {
  return { ...context, type: owner_type, id: owner_id };
}
