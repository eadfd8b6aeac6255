import type { BuildStatus, Category, ServiceRuntime } from '@kethub/contract';
import type { Generated } from 'kysely';
import type { OwnerType } from './owner.ts';
import type { LimitColumns } from './limit-columns.ts';

export interface ServiceTables {
  services: ServiceRow;
  service_versions: ServiceVersionRow;
  api_specifications: ApiSpecificationRow;
  provider_access_tokens: ProviderAccessTokenRow;
  builds: BuildRow;
  build_queues: BuildQueueRow;
  layers: LayerRow;
  on_premise_targets: OnPremiseTargetRow;
  listings: ListingRow;
  listing_categories: ListingCategoryRow;
  service_limits: ServiceLimitsRow;
  former_addresses: FormerAddressRow;
  shares: ShareRow;
}

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
  /** Bytes of the sources and build logs of all versions; updated by triggers. */
  stored_bytes: number;
}

export interface ServiceVersionRow {
  id: string;
  service_id: string;
  version: string;
  state: 'DRAFT' | 'PUBLISHED' | 'RETIRED';
  visibility: 'NONE' | 'INTERNAL';
  configuration: string;
  /** The configured runtime of a managed version. */
  runtime: Generated<ServiceRuntime>;
  /** Source, digest and build are empty for an on-premise service, which has no upload. */
  source_blob: string;
  source_bytes: number;
  source_digest: string;
  /** Implementation, branch or tag, and commit that the source was taken from; null for an upload. */
  source_implementation_id: string | null;
  source_ref: string | null;
  source_commit: string | null;
  /** Bytes of the logs of its builds; updated by triggers. */
  build_log_bytes: Generated<number>;
  build_id: string;
  /** JSON for the runtime, to run the version; null until built. */
  code: string | null;
  /** Layer of installed packages that the code needs; null for none. */
  layer: Generated<string | null>;
  /** JSON of the parameters of run(); null until built. */
  parameters: string | null;
  /** JSON of the schemas from the signature of run(); null until built, or if the signature has no types. */
  derived_schemas: string | null;
  created_at: number;
  published_at: number | null;
  /** Time at which its retirement was announced, and time from which it cannot be started; both or neither are set. */
  deprecated_at: number | null;
  sunset_at: number | null;
  revision: number;
}

/** An uploaded OpenAPI document as JSON. A version without a row has a derived document, or the default. */
interface ApiSpecificationRow {
  service_version_id: string;
  document: string;
}

/** An owner's credentials at a provider of quantum computers. */
export interface ProviderAccessTokenRow {
  owner_type: OwnerType;
  owner_id: string;
  provider: string;
  /** Sealed JSON of apiKey and, for providers that need it, serviceIdentifier. */
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
  /** NDJSON, or null if it is in log_blob or has not ended. */
  log: string | null;
  log_blob: string | null;
  /** Size of the log if it is a blob. */
  log_bytes: number | null;
  /** The worker that runs it; null while it is pending. */
  worker_id: string | null;
  /** Promised resources; null while it is pending, 0 on a slot that is reserved for builds. */
  cpus: number | null;
  memory_bytes: number | null;
}

/** A layer of installed packages on a worker. */
interface LayerRow {
  worker_id: string;
  /** `layers/<key>`, as in the code of a version. */
  layer: string;
  python: string;
  platform: string;
  /** JSON of names, versions and hashes. */
  packages: string;
  bytes: number;
  created_at: number;
  /** Time at which a version that needs it was last seen. */
  used_at: number;
  /** Request of an administrator that the worker has not carried out yet. */
  wanted: 'PURGE' | 'REBUILD' | null;
  problem: string | null;
}

/** Queue of the builds of an owner, with the time at which the last of them was started. */
interface BuildQueueRow {
  owner_id: string;
  turn_at: number;
}

/** Target of a version of an on-premise service. */
export interface OnPremiseTargetRow {
  service_version_id: string;
  url: string;
  timeout_ms: number;
  sealed_credentials: string | null;
}

/** An offer of a service in the marketplace. */
export interface ListingRow {
  /** Row id in the full-text index; assigned by the database. */
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
  /** Copy of the provider's name, updated by nameProvider. */
  provider_name: string;
  /** Title and summary, normalized for the search. */
  search_text: string;
  /** Name of the provider, normalized for the search. */
  provider_text: string;
  created_at: number;
  updated_at: number;
  revision: number;
}

interface ListingCategoryRow {
  category: Category;
  listing_id: string;
}

/** Limits of each subscription to a service, unless it has its own. */
interface ServiceLimitsRow extends LimitColumns {
  service_id: string;
  /** Most RUNNING executions of all its versions, for all callers. */
  executions_at_once: number | null;
}

/** An address of a service under a former owner, at which it still answers. */
interface FormerAddressRow {
  owner_id: string;
  slug: string;
  service_id: string;
}

/** A share of a service with a user or an organization; exactly one of the two is set. */
export interface ShareRow {
  id: string;
  service_id: string;
  user_id: string | null;
  organization_id: string | null;
  /** Start (inclusive) and end (exclusive); null is unlimited. */
  start_at: number | null;
  end_at: number | null;
  created_at: number;
  revision: number;
}
