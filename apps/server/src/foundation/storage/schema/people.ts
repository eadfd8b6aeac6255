import type { Generated } from 'kysely';

export interface PeopleTables {
  users: UserRow;
  user_search: UserSearchRow;
  user_search_blocks: UserSearchBlockRow;
  user_search_grams: UserSearchGramsRow;
  profile_images: ProfileImageRow;
  account_deletions: AccountDeletionRow;
  access_tokens: AccessTokenRow;
  identities: IdentityRow;
  sign_in_links: SignInLinkRow;
  registrations: RegistrationRow;
  mail_tokens: MailTokenRow;
  outgoing_mails: OutgoingMailRow;
  oidc_records: OidcRecordRow;
  sign_in_failures: SignInFailureRow;
  sign_in_networks: SignInNetworkRow;
  registration_decisions: RegistrationDecisionRow;
  blocked_users: BlockedUserRow;
  search_changes: SearchChangeRow;
  provider_people: ProviderPersonRow;
  provider_rounds: ProviderRoundRow;
}

export interface UserRow {
  id: string;
  username: string;
  email: string;
  firstname: string;
  lastname: string;
  current_position: string | null;
  homepage: string | null;
  about: string | null;
  created_at: number;
  updated_at: number;
}

interface UserSearchRow {
  user_id: string;
  /** See markOf. */
  mark: string;
  /** See searchTextOf. */
  search_text: string;
  block: number;
}

/** See search-blocks.ts. */
interface UserSearchBlockRow {
  number: Generated<number>;
  /** Position of the block in the order of blocks, with gaps. See search-positions.ts. */
  position: number;
  /** The lowest sort key of the block. That of the next block is the first key beyond it. */
  low: string;
  /** See writeEntries. A trigger removes the entry of a user who is deleted from user_search. */
  entries: string;
}

/**
 * The index of grams. On SQLite, `rowid` is the position of the block and `grams` are words. On PostgreSQL,
 * `position` is the position and `grams` are numbers.
 */
interface UserSearchGramsRow {
  rowid: number;
  position: number;
  grams: string;
}

export interface ProfileImageRow {
  user_id: string;
  blob: string;
  media_type: 'image/jpeg' | 'image/png';
  bytes: number;
  /** SHA-256 of the stored bytes. */
  digest: string;
  created_at: number;
}

/** An account whose deletion has begun: its resources are deleted, its identity may exist until `ended_at`. */
export interface AccountDeletionRow {
  user_id: string;
  /** Blob of the profile image, which is still to be removed. */
  image_blob: string | null;
  /** JSON list of the recipients, see recipientOf, whose mails are still to be withdrawn. */
  recipients: string;
  begun_at: number;
  ended_at: number | null;
}

export interface AccessTokenRow {
  id: string;
  user_id: string;
  name: string;
  digest: string;
  sealed_value: string | null;
  is_default: number;
  created_at: number;
  used_at: number | null;
  expires_on: string | null;
  /** AccessTokenScope as JSON; null for a token that may do everything that its user may. */
  scope: string | null;
}

export interface IdentityRow {
  id: string;
  username: string;
  email: string;
  email_verified: number;
  firstname: string;
  lastname: string;
  password_hash: string;
  status: 'PENDING' | 'APPROVED' | 'REJECTED';
  enabled: number;
  created_at: number;
}

/** A registration whose email address is not confirmed yet. It becomes an identity with the same id. */
export interface RegistrationRow {
  id: string;
  username: string;
  email: string;
  firstname: string;
  lastname: string;
  password_hash: string;
  created_at: number;
}

/** A token that was sent by mail. */
export interface MailTokenRow {
  digest: string;
  purpose: 'VERIFY_EMAIL' | 'SET_PASSWORD';
  /** Id of a registration, or of an identity. */
  subject: string;
  expires_at: number;
}

/** A mail that has not been delivered yet. */
export interface OutgoingMailRow {
  id: string;
  sealed_content: string;
  created_at: number;
  /** Time of the next attempt. */
  due_at: number;
  attempts: number;
  expires_at: number;
  /** See recipientOf. Null in a row of an earlier version. */
  recipient: string | null;
}

/** Links an account of an upstream OpenID provider to an identity. */
export interface SignInLinkRow {
  issuer: string;
  subject: string;
  identity_id: string;
  created_at: number;
}

/** Recent wrong passwords; see identity/base/attempts.ts. */
export interface SignInFailureRow {
  key: string;
  failures: number;
  expires_at: number;
}

/** A network from which an account has signed in. */
interface SignInNetworkRow {
  key: string;
  expires_at: number;
}

export interface OidcRecordRow {
  model: string;
  id: string;
  payload: string;
  grant_id: string | null;
  user_code: string | null;
  uid: string | null;
  account_id: string | null;
  consumed_at: number | null;
  expires_at: number | null;
}

/** An approved user whose search entry has to be renewed; written by triggers. */
interface SearchChangeRow {
  user_id: string;
}

/** A copy of a person at an external identity provider. */
export interface ProviderPersonRow {
  subject: string;
  username: string;
  email: string;
  email_verified: number;
  firstname: string;
  lastname: string;
  status: 'PENDING' | 'APPROVED' | 'REJECTED';
  enabled: number;
  /** Start, in epoch milliseconds, of the last round (see ProviderRoundRow) that has seen the person. */
  round: number;
}

/** Progress and lease of the repeated reading of all people of an issuer, by one process at a time. */
export interface ProviderRoundRow {
  /** The issuer. */
  id: string;
  holder: string;
  lease_until: number;
  began_at: number;
  /** Start of the last complete round; null before the first. */
  complete_since: number | null;
  took_ms: number;
}

/** A person who is rejected or disabled. */
interface BlockedUserRow {
  user_id: string;
  blocked_at: number;
}

/** A lease on deciding about a person at an external identity provider. */
interface RegistrationDecisionRow {
  subject: string;
  holder: string;
  expires_at: number;
}
