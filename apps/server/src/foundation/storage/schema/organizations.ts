import type { MemberRole } from '@kethub/contract';
import type { Generated } from 'kysely';
import type { OwnerType } from './owner.ts';

export interface OrganizationTables {
  organizations: OrganizationRow;
  memberships: MembershipRow;
  invitations: InvitationRow;
  audit_entries: AuditEntryRow;
  access_changes: AccessChangeRow;
  data_pools: DataPoolRow;
  data_pool_members: DataPoolMemberRow;
  data_pool_files: DataPoolFileRow;
}

export interface OrganizationRow {
  id: string;
  name: string;
  created_at: number;
  revision: number;
}

interface MembershipRow {
  organization_id: string;
  user_id: string;
  role: MemberRole;
  created_at: number;
}

export interface InvitationRow {
  id: string;
  organization_id: string;
  /** In lower case. */
  email: string;
  role: MemberRole;
  invited_by: string;
  created_at: number;
  expires_at: number;
}

/** An application whose access has changed, so that caches must forget it; written by triggers. */
interface AccessChangeRow {
  number: Generated<number>;
  application_id: string;
  created_at: number;
}

export interface AuditEntryRow {
  id: string;
  owner_type: OwnerType;
  owner_id: string;
  actor_id: string;
  action: string;
  resource_id: string;
  /** JSON of the change. */
  detail: string;
  created_at: number;
  /** Key under which repeated events are merged into this entry; null for a single event. */
  merged_under: string | null;
  times: number;
  /** Time of the last merged event; null for a single event. */
  last_at: number | null;
}

export interface DataPoolRow {
  id: string;
  owner_type: OwnerType;
  owner_id: string;
  name: string;
  description: string;
  /** Number and total size of its files, updated in the transactions that change them. */
  files: number;
  bytes: number;
  created_at: number;
  revision: number;
  /** Short form of the description; empty for none. */
  short_description: string;
  /** JSON list of texts in lower case. */
  tags: string;
}

export interface DataPoolMemberRow {
  data_pool_id: string;
  member_type: OwnerType;
  member_id: string;
  role: MemberRole;
  created_at: number;
}

export interface DataPoolFileRow {
  id: string;
  data_pool_id: string;
  name: string;
  blob: string;
  bytes: number;
  media_type: string;
  /** SHA-256 in hex. */
  digest: string;
  created_at: number;
  updated_at: number;
}
