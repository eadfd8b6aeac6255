import type { MemberRole, ServiceRuntime } from '@kethub/contract';
import type { OwnerType } from './owner.ts';

export interface ImplementationTables {
  implementations: ImplementationRow;
  implementation_members: ImplementationMemberRow;
  implementation_names: ImplementationNameRow;
  service_sources: ServiceSourceRow;
  implementation_imports: ImplementationImportRow;
  implementation_invitations: ImplementationInvitationRow;
}

/** A Git repository. Its objects are in the folder of the role `git`, by this id. */
export interface ImplementationRow {
  id: string;
  owner_type: OwnerType;
  owner_id: string;
  /** Last segment of its address. */
  name: string;
  description: string;
  visibility: 'PRIVATE' | 'PUBLIC';
  /** Branch without `refs/heads/`. */
  default_branch: string;
  /** Commit of the default branch after the last push; null while that branch does not exist. */
  head: string | null;
  /** Runtime of the service that the root of this commit makes; null if it makes none. */
  buildable: ServiceRuntime | null;
  /** Size of its folder after the last push. */
  bytes: number;
  pushed_at: number | null;
  created_at: number;
  revision: number;
  /** Reason why nobody can push; null if members can. */
  read_only: 'IMPORT' | 'MIRROR' | null;
  /** 1 if the default branch can neither be deleted nor rewritten, else 0. */
  protects_default: number;
  /** JSON list of patterns of further such branches. */
  protected_patterns: string;
}

export interface ImplementationMemberRow {
  implementation_id: string;
  member_type: OwnerType;
  member_id: string;
  role: MemberRole;
  created_at: number;
}

/** A name at which an implementation answers: its own, or a former one. */
interface ImplementationNameRow {
  owner_id: string;
  name: string;
  implementation_id: string;
}

/** Rules by which pushes to an implementation become versions of a service. */
export interface ServiceSourceRow {
  service_id: string;
  implementation_id: string;
  watched: 'BRANCH' | 'TAG';
  /** A branch; of tags a name in which `*` stands for any text. */
  pattern: string;
  action: 'DRAFT' | 'PUBLISH';
  /** The person who has set it, in whose name versions are made. */
  set_by: string;
  /** Commit and number of the last version that a push has made. */
  last_commit: string | null;
  last_version: string | null;
  /** Reason why the last push made no version. */
  problem: string | null;
  created_at: number;
  revision: number;
  /** Time at which it is looked at next; null until something changes. */
  due_at: number | null;
}

/** Another repository from which an implementation is filled: once, or every hour as a mirror. */
export interface ImplementationImportRow {
  implementation_id: string;
  url: string;
  /** JSON of user name and password; null for none. */
  sealed_credential: string | null;
  /** 1 for a mirror, else 0. */
  mirror: number;
  state: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED';
  progress: string | null;
  problem: string | null;
  /** Failed runs since the last that succeeded. */
  failures: number;
  /** Time of the next run, also while one goes on; null when there is none. */
  next_at: number | null;
  /** The person who has set it, who is notified when it is switched off. */
  set_by: string;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface ImplementationInvitationRow {
  id: string;
  implementation_id: string;
  /** In lower case. */
  email: string;
  role: MemberRole;
  invited_by: string;
  created_at: number;
  expires_at: number;
}
