import type { Generated } from 'kysely';
import type {
  Basis,
  BuildProblem,
  BuildStatus,
  Category,
  ExecutionStatus,
  MemberRole,
  ServiceRuntime,
} from '@kethub/contract';

/**
 * The tables. Portable rules: ids and enums are text, times are epoch milliseconds (bigint), JSON is text,
 * booleans are 0 or 1. Sealed columns hold AES-256-GCM under the instance key.
 */
export interface Tables {
  users: UserRow;
  user_search: UserSearchRow;
  user_search_blocks: UserSearchBlockRow;
  user_search_grams: UserSearchGramsRow;
  profile_images: ProfileImageRow;
  account_deletions: AccountDeletionRow;
  unused_blobs: UnusedBlobRow;
  access_tokens: AccessTokenRow;
  identities: IdentityRow;
  sign_in_links: SignInLinkRow;
  registrations: RegistrationRow;
  mail_tokens: MailTokenRow;
  outgoing_mails: OutgoingMailRow;
  oidc_records: OidcRecordRow;
  sign_in_failures: SignInFailureRow;
  sign_in_networks: SignInNetworkRow;
  signing_keys: SigningKeyRow;
  registration_decisions: RegistrationDecisionRow;
  shut_out: ShutOutRow;
  services: ServiceRow;
  service_versions: ServiceVersionRow;
  api_specifications: ApiSpecificationRow;
  provider_access_tokens: ProviderAccessTokenRow;
  builds: BuildRow;
  installation: InstallationRow;
  workers: WorkerRow;
  followed_logs: FollowedLogRow;
  log_copies: LogCopyRow;
  on_premise_targets: OnPremiseTargetRow;
  applications: ApplicationRow;
  access_keys: AccessKeyRow;
  subscriptions: SubscriptionRow;
  listings: ListingRow;
  listing_categories: ListingCategoryRow;
  accepted_plans: AcceptedPlanRow;
  usage_records: UsageRecordRow;
  executions: ExecutionRow;
  queues: QueueRow;
  execution_files: ExecutionFileRow;
  service_limits: ServiceLimitsRow;
  subscription_limits: SubscriptionLimitsRow;
  execution_counts: ExecutionCountRow;
  organizations: OrganizationRow;
  memberships: MembershipRow;
  invitations: InvitationRow;
  audit_entries: AuditEntryRow;
  former_addresses: FormerAddressRow;
  access_changes: AccessChangeRow;
  data_pools: DataPoolRow;
  data_pool_members: DataPoolMemberRow;
  data_pool_files: DataPoolFileRow;
  idempotency_keys: IdempotencyKeyRow;
  shares: ShareRow;
  workflow_versions: WorkflowVersionRow;
  workflow_instances: WorkflowInstanceRow;
  workflow_events: WorkflowEventRow;
  workflow_journal: WorkflowJournalRow;
  workflow_jobs: WorkflowJobRow;
  workflow_timers: WorkflowTimerRow;
  workflow_subscriptions: WorkflowSubscriptionRow;
  workflow_messages: WorkflowMessageRow;
  workflow_schedules: WorkflowScheduleRow;
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

export interface UserSearchRow {
  user_id: string;
  /** See markOf. */
  mark: string;
  /** See searchTextOf. */
  search_text: string;
  block: number;
}

/** See search-blocks.ts. */
export interface UserSearchBlockRow {
  number: Generated<number>;
  /** Numbers the blocks in their order, with gaps. See search-positions.ts. */
  position: number;
  /** The lowest place that belongs to the block, see placeOf; the next block's is the first that does not. */
  low: string;
  /** See writeEntries. A trigger takes out who is removed from user_search. */
  entries: string;
}

/** The index of grams: on SQLite `rowid` is the position of the block and `grams` words, on PostgreSQL `position` is it and they are numbers. */
export interface UserSearchGramsRow {
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

/** An account whose deletion has begun: its resources are gone, its identity may be there until `ended_at`. */
export interface AccountDeletionRow {
  user_id: string;
  /** The profile image, which has to be removed from the store. */
  image_blob: string | null;
  begun_at: number;
  ended_at: number | null;
}

/** A blob that no row refers to: not yet, or not any more. */
export interface UnusedBlobRow {
  blob: string;
  noted_at: number;
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

/** Somebody who has registered and not confirmed the address yet; becomes an identity of the same id. */
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

/** A mail that has not been handed over yet. */
export interface OutgoingMailRow {
  id: string;
  sealed_content: string;
  created_at: number;
  /** When it is tried next. */
  due_at: number;
  attempts: number;
  expires_at: number;
}

/** Whom an external OpenID provider signs in. */
export interface SignInLinkRow {
  issuer: string;
  subject: string;
  identity_id: string;
  created_at: number;
}

/** How many wrong passwords were given lately; see identity/attempts.ts. */
export interface SignInFailureRow {
  key: string;
  failures: number;
  expires_at: number;
}

/** That somebody has signed in to an account from a network. */
export interface SignInNetworkRow {
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

export interface SigningKeyRow {
  id: string;
  purpose: string;
  sealed_private_key: string;
  created_at: number;
}

/** A person who is rejected or switched off. */
export interface ShutOutRow {
  user_id: string;
  noted_at: number;
}

/** Who decides about a person of an external identity provider right now. */
export interface RegistrationDecisionRow {
  subject: string;
  holder: string;
  expires_at: number;
}

export type OwnerType = 'USER' | 'ORGANIZATION';

export interface ServiceRow {
  id: string;
  owner_type: OwnerType;
  owner_id: string;
  name: string;
  slug: string;
  type: 'MANAGED' | 'ON_PREMISE' | 'WORKFLOW';
  description: string;
  created_at: number;
  revision: number;
}

export interface ServiceVersionRow {
  id: string;
  service_id: string;
  version: string;
  state: 'DRAFT' | 'PUBLISHED' | 'RETIRED';
  visibility: 'NONE' | 'INTERNAL';
  configuration: string;
  /** As the configuration of a managed version has it. */
  runtime: Generated<ServiceRuntime>;
  /** Empty in a version of an on-premise service, like its digest and its build: nothing is uploaded. */
  source_blob: string;
  source_bytes: number;
  source_digest: string;
  build_id: string;
  /** JSON of what the runtime needs to run the version; null until built. */
  code: string | null;
  /** JSON of the parameters of run(); null until built. */
  parameters: string | null;
  /** JSON of the input and the schemas that the signature of run() tells; null until built, or where it tells nothing. */
  derived_schemas: string | null;
  created_at: number;
  published_at: number | null;
  /** When its retirement was announced, and from when on it cannot be started; both or neither. */
  deprecated_at: number | null;
  sunset_at: number | null;
  revision: number;
}

/** An uploaded OpenAPI document, as JSON; of a version without one it is derived or the default. */
export interface ApiSpecificationRow {
  service_version_id: string;
  document: string;
}

/** An owner's credentials at a provider of quantum computers. */
export interface ProviderAccessTokenRow {
  owner_type: OwnerType;
  owner_id: string;
  provider: string;
  /** Sealed JSON of apiKey and, where the provider has one, serviceIdentifier. */
  sealed_credentials: string;
  hint: string;
  created_at: number;
  updated_at: number;
  revision: number;
}

export interface BuildRow {
  id: string;
  service_version_id: string;
  status: BuildStatus;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  problem: string | null;
  /** NDJSON, or null when it lies in log_blob or has not ended. */
  log: string | null;
  log_blob: string | null;
  /** Whose machine it runs on; null while it is pending. */
  worker_id: string | null;
}

/** What all processes on this database have in common; one row. */
export interface InstallationRow {
  id: 'this';
  /** A constant, sealed under the instance key. */
  sealed_check: string;
  /** A blob that lies in the store of all. */
  blob_store: string;
  created_at: number;
}

export interface WorkerRow {
  id: string;
  /** Name of its machine, for operators. */
  host: string;
  /** Grows as long as the worker lives. */
  beats: number;
  seen_at: number;
  /** 1 when it can run containers. */
  containers: Generated<number>;
  /** When it was given up; null since it was heard of again. */
  lost_at: number | null;
  /** What it can give to executions; null of one that has not said so. */
  cpus: number | null;
  memory_bytes: number | null;
  /** JSON: how many of which type; the type is empty where they are not told apart. */
  gpus: string | null;
}

/** The log of an execution or a build that is being written and that another process reads. */
export interface FollowedLogRow {
  log_id: string;
  /** How many of its bytes lie in log_copies. */
  copied: number;
  /** How often readers have asked for all that is there, and how many of these were answered by the writer. */
  asked: number;
  answered: number;
}

/** Whole lines of such a log: bytes `from_byte` to `next_byte`, exclusive. */
export interface LogCopyRow {
  log_id: string;
  from_byte: number;
  next_byte: number;
  text: string;
}

/** Where a version of an on-premise service runs. */
export interface OnPremiseTargetRow {
  service_version_id: string;
  url: string;
  timeout_ms: number;
  sealed_credentials: string | null;
}

export interface ApplicationRow {
  id: string;
  owner_type: OwnerType;
  owner_id: string;
  name: string;
  created_at: number;
  revision: number;
}

export interface AccessKeyRow {
  id: string;
  application_id: string;
  access_key_id: string;
  secret_digest: string;
  sealed_secret: string;
  secret_hint: string;
  created_at: number;
  expires_at: number | null;
}

export interface SubscriptionRow {
  id: string;
  application_id: string;
  service_id: string;
  service_version_id: string;
  basis: Basis;
  created_at: number;
}

/** How a service is offered in the marketplace. */
export interface ListingRow {
  /** Keeps the place in the full-text index; given by the database. */
  number: Generated<number>;
  id: string;
  service_id: string;
  service_version_id: string;
  title: string;
  summary: string;
  documentation: string;
  /** JSON. */
  categories: string;
  /** JSON. */
  pricing_plans: string;
  /** Kept true by nameProvider. */
  provider_name: string;
  /** Title and summary as the search compares them. */
  search_text: string;
  /** The same of the provider's name. */
  provider_text: string;
  created_at: number;
  updated_at: number;
  revision: number;
}

export interface ListingCategoryRow {
  category: Category;
  listing_id: string;
}

/** The plan that a subscription was made on, as it was then, and between whom; stays when the subscription has ended. */
export interface AcceptedPlanRow {
  subscription_id: string;
  application_id: string;
  service_id: string;
  service_version_id: string;
  service_name: string;
  version: string;
  type: 'FREE' | 'COMMERCIAL';
  /** JSON. */
  pricing_plan: string;
  /** Who owns the application, and who the service; kept true by transfers. */
  consumer_type: OwnerType;
  consumer_id: string;
  provider_type: OwnerType;
  provider_id: string;
  accepted_at: number;
}

/** What was used of a service. Price and parties are those of the moment. */
export interface UsageRecordRow {
  id: string;
  subscription_id: string;
  application_id: string;
  service_id: string;
  service_version_id: string;
  /** Null for usage that a provider has reported. */
  execution_id: string | null;
  /** What was used; of a commercial plan the id of a product. */
  product: string;
  /** In millionths of the unit. */
  amount: number;
  /** Decimal text; null, as is the currency, when no commercial plan charges for it. */
  unit_price: string | null;
  currency: string | null;
  /** 1 for usage that is never charged. */
  test: number;
  consumer_type: OwnerType;
  consumer_id: string;
  provider_type: OwnerType;
  provider_id: string;
  occurred_at: number;
  created_at: number;
}

export interface ExecutionRow {
  id: string;
  /** Through which subscription of which application; null for a job, which a person has started. */
  subscription_id: string | null;
  application_id: string | null;
  /** For whom it was started, who sees all of it; null for one whose application was gone before this was kept. */
  owner_type: OwnerType | null;
  owner_id: string | null;
  /** Who started a job. */
  person_id: string | null;
  service_id: string | null;
  service_version_id: string;
  status: ExecutionStatus;
  /** Header `traceparent`: the trace that it belongs to, and the place in it that it was accepted at. */
  trace_parent: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  worker_id: string | null;
  cancel_requested_at: number | null;
  /** Raw JSON text of the input, or null when it lies in input_blob. */
  input: string | null;
  input_blob: string | null;
  sealed_secrets: string | null;
  /** JSON of the data pools that the input refers to, by parameter; null without any. */
  data_pools: string | null;
  result: string | null;
  result_blob: string | null;
  /** JSON of type, title, detail of what ended the execution without a result. */
  cause: string | null;
  /** NDJSON, or null when it lies in log_blob or has not ended. */
  log: string | null;
  log_blob: string | null;
  /** What it was promised of the machine of its worker; null before it is claimed. */
  cpus: number | null;
  memory_bytes: number | null;
  gpus: number | null;
  /** Of which type they are, where the worker tells types apart. */
  gpu_type: string | null;
  /** SHA-256 in hex of the input; null of one that was accepted before it was kept. */
  input_digest: string | null;
  input_bytes: number | null;
  /** JSON of what is kept for who wants to run it again; null before it has run. */
  record: string | null;
}

/** What one owner has pending of one service version. Made by triggers; an empty one is taken away by who finds it. */
export interface QueueRow {
  owner_id: string;
  service_version_id: string;
  service_id: string | null;
  /** When something of this owner was last started; at first, since when it waits. */
  turn_at: number;
}

/** What a provider allows; null says nothing. */
interface LimitColumns {
  requests_per_minute: number | null;
  executions_per_day: number | null;
  executions_per_month: number | null;
}

/** For every subscription to a service whose own limits say nothing. */
export interface ServiceLimitsRow extends LimitColumns {
  service_id: string;
  /** Executions of all its versions that run at the same time, whoever started them. */
  executions_at_once: number | null;
}

export interface SubscriptionLimitsRow extends LimitColumns {
  subscription_id: string;
}

/** How many executions a subscription with a quota has started in a period: a day (2026-11-21) or a month (2026-11), UTC. */
export interface ExecutionCountRow {
  subscription_id: string;
  period: string;
  taken: number;
}

export interface ExecutionFileRow {
  execution_id: string;
  name: string;
  blob: string;
  bytes: number;
}

export interface OrganizationRow {
  id: string;
  name: string;
  created_at: number;
  revision: number;
}

export interface MembershipRow {
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

/** An address that a service had with another owner, and still answers at. */
export interface FormerAddressRow {
  owner_id: string;
  slug: string;
  service_id: string;
}

/** A service given to a user or to an organization: exactly one of the two is there. */
export interface ShareRow {
  id: string;
  service_id: string;
  user_id: string | null;
  organization_id: string | null;
  /** From (inclusive) and until (exclusive); null is without end. */
  start_at: number | null;
  end_at: number | null;
  created_at: number;
  revision: number;
}

/** An application whose calls are decided anew from here on; written by triggers. */
export interface AccessChangeRow {
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
  /** JSON of what changed. */
  detail: string;
  created_at: number;
}

export interface DataPoolRow {
  id: string;
  owner_type: OwnerType;
  owner_id: string;
  name: string;
  description: string;
  /** Number and size of its files, kept in the transactions that change them. */
  files: number;
  bytes: number;
  created_at: number;
  revision: number;
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

export interface IdempotencyKeyRow {
  scope: string;
  key: string;
  digest: string;
  answer: string;
  created_at: number;
}

export type { BuildProblem };

/** What a version of a workflow service is made of, besides its file. */
export interface WorkflowVersionRow {
  service_version_id: string;
  /** As which its tasks call services, unless they name another. */
  application_id: string | null;
  /** Null, as are the requirements, while the file has problems. */
  process_id: string | null;
  /** JSON of what packages/workflow calls Requirements. */
  requirements: string | null;
  /** JSON of the problems of the file. */
  problems: string;
}

/** An execution of a workflow, or what a call activity of one has started. */
export interface WorkflowInstanceRow {
  id: string;
  /** Its own id; of a child that of the instance at the root. */
  execution_id: string;
  parent_id: string | null;
  /** Number of the child in its parent. */
  parent_child: number | null;
  service_version_id: string;
  /** Null: the one that the file starts with. */
  process_id: string | null;
  /** How many instances have called one another to get here. */
  depth: number;
  phase: 'NEW' | 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'ERROR';
  /** Grows with every step; who writes a state has read the one before. */
  revision: number;
  incidents: number;
  /** JSON; null until the first step. */
  state: string | null;
  /** Length of the state, to be known before it is read. */
  bytes: number;
  /** Of the instance at the root; erased at its end. */
  sealed_secrets: string | null;
  created_at: number;
  ended_at: number | null;
}

/** What has happened and no step has taken into account yet. */
export interface WorkflowEventRow {
  id: string;
  instance_id: string;
  /** Of what happens once: a second row of the same is refused. */
  dedupe_key: string | null;
  event: string;
  bytes: number;
}

export interface WorkflowJournalRow {
  instance_id: string;
  seq: number;
  at: number;
  type: string;
  entry: string;
}

/** A service to call, written with the step that asks for it. Its id is that of the execution. */
export interface WorkflowJobRow {
  id: string;
  instance_id: string;
  job: number;
  element_id: string;
  /** ENDED: the execution has, its result is not known to the instance. CANCELLING: what runs is to be cancelled. REMOTE: it runs at a provider's service. */
  state: 'OPEN' | 'STARTED' | 'ENDED' | 'CANCELLING' | 'REMOTE';
  /** JSON of what is called. */
  service: string;
  /** JSON; null once it was sent. */
  input: string | null;
  /** As which it was called. */
  application_id: string | null;
  /** When it is worked on next. */
  due: number;
  attempts: number;
  /** Until when a process works on it. */
  locked_until: number;
  /** Where the service was called, without a slash at the end; of one that runs elsewhere, the path of the execution there. */
  address: string | null;
}

export interface WorkflowTimerRow {
  instance_id: string;
  timer: number;
  element_id: string;
  due: number;
}

export interface WorkflowSubscriptionRow {
  instance_id: string;
  subscription: number;
  element_id: string;
  service_id: string;
  message_name: string;
  correlation_key: string;
}

/** A message that was published and waits for somebody who wants it. */
export interface WorkflowMessageRow {
  id: string;
  service_id: string;
  name: string;
  correlation_key: string;
  variables: string;
  message_id: string | null;
  created_at: number;
  expires_at: number;
}

/** When a timer start event of a published version is due next. */
export interface WorkflowScheduleRow {
  service_version_id: string;
  element_id: string;
  /** 0: not known yet. */
  due: number;
  /** JSON of what the next time is computed from. */
  timer: string | null;
}
