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
  build_turns: BuildTurnRow;
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
  /** Sources and logs of builds of all versions; kept by triggers. */
  stored_bytes: number;
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
  /** Logs of its builds; kept by triggers. */
  build_log_bytes: Generated<number>;
  build_id: string;
  /** JSON of what the runtime needs to run the version; null until built. */
  code: string | null;
  /** The layer of installed packages in its code; null without one. */
  layer: Generated<string | null>;
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
  /** Size of the log where it lies in a blob. */
  log_bytes: number | null;
  /** Whose machine it runs on; null while it is pending. */
  worker_id: string | null;
  /** What it was promised beside executions; null while it is pending, 0 on a slot that is reserved for builds. */
  cpus: number | null;
  memory_bytes: number | null;
}

/** Installed packages that a worker has. */
export interface LayerRow {
  worker_id: string;
  /** `layers/<key>`, as in the code of a version. */
  layer: string;
  python: string;
  platform: string;
  /** JSON of names, versions and hashes. */
  packages: string;
  bytes: number;
  created_at: number;
  /** When a version was last seen that needs it. */
  used_at: number;
  /** What an administrator has asked for and the worker has not done yet. */
  wanted: 'PURGE' | 'REBUILD' | null;
  problem: string | null;
}

/** When an owner was last given a build. */
export interface BuildTurnRow {
  owner_id: string;
  turn_at: number;
}

/** Where a version of an on-premise service runs. */
export interface OnPremiseTargetRow {
  service_version_id: string;
  url: string;
  timeout_ms: number;
  sealed_credentials: string | null;
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

/** For every subscription to a service whose own limits say nothing. */
export interface ServiceLimitsRow extends LimitColumns {
  service_id: string;
  /** Executions of all its versions that run at the same time, whoever started them. */
  executions_at_once: number | null;
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
