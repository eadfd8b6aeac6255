import type { Basis } from '@kethub/contract';
import type { OwnerType } from './owner.ts';
import type { LimitColumns } from './limit-columns.ts';

export interface ApplicationTables {
  applications: ApplicationRow;
  access_keys: AccessKeyRow;
  subscriptions: SubscriptionRow;
  accepted_plans: AcceptedPlanRow;
  usage_records: UsageRecordRow;
  subscription_limits: SubscriptionLimitsRow;
  execution_counts: ExecutionCountRow;
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

interface SubscriptionRow {
  id: string;
  application_id: string;
  service_id: string;
  service_version_id: string;
  basis: Basis;
  created_at: number;
}

/** A copy of the plan on which a subscription was made, and its parties. The row outlives the subscription. */
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
  /** Owners of the application (consumer) and of the service (provider); transfers update them. */
  consumer_type: OwnerType;
  consumer_id: string;
  provider_type: OwnerType;
  provider_id: string;
  accepted_at: number;
}

/** Usage of a service, with price and parties at the time of use. */
export interface UsageRecordRow {
  id: string;
  subscription_id: string;
  application_id: string;
  service_id: string;
  service_version_id: string;
  /** Null for usage that a provider has reported. */
  execution_id: string | null;
  /** The used product; the id of a product if the plan is commercial. */
  product: string;
  /** In millionths of the unit. */
  amount: number;
  /** Decimal text. Price and currency are null if no commercial plan charges for it. */
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

interface SubscriptionLimitsRow extends LimitColumns {
  subscription_id: string;
}

/** Executions of a subscription with a quota in a period: a day (2026-11-21) or a month (2026-11), UTC. */
interface ExecutionCountRow {
  subscription_id: string;
  period: string;
  taken: number;
}
