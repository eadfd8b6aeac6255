import {
  toTimestamp,
  type AccessKey,
  type Application,
  type Basis,
  type PricingPlan,
  type Subscription,
} from '@kethub/contract';
import { etag } from '../../foundation/http/index.ts';
import { serviceEndpoint, type Addresses } from '../../foundation/platform.ts';
import { declaredHosts } from '../services/index.ts';
import type { AccessKeyRow, ApplicationRow } from '../../foundation/storage/index.ts';

const MASK = '••••••••';

/** The entity tag of an application and its keys. */
export function applicationTag(row: ApplicationRow, keys: readonly AccessKeyRow[]): string {
  return etag(`${row.revision}-${keys.map((key) => `${key.id.slice(-6)}${key.expires_at ?? ''}`).join('.')}`);
}

/** An access key as shown: its secret masked but for the last characters, unless it is passed in to be shown once. */
export function presentAccessKey(row: AccessKeyRow, secret: string | null = null): AccessKey {
  return {
    id: row.id,
    accessKeyId: row.access_key_id,
    secretAccessKey: secret ?? `${MASK}${row.secret_hint}`,
    createdAt: toTimestamp(row.created_at),
    expiresAt: row.expires_at === null ? null : toTimestamp(row.expires_at),
  };
}

export function presentApplication(row: ApplicationRow, accessKeys: AccessKey[], addresses: Addresses): Application {
  return {
    id: row.id,
    name: row.name,
    owner: { type: row.owner_type, id: row.owner_id },
    createdAt: toTimestamp(row.created_at),
    tokenEndpoint: `${addresses.gateway}/token`,
    accessKeys,
  };
}

export interface SubscribedService {
  id: string;
  service_id: string;
  created_at: number;
  name: string;
  slug: string;
  owner_id: string;
  version: string;
  configuration: string;
  basis: Basis;
  /** JSON of the plan that was accepted. */
  pricing_plan: string | null;
}

export function presentSubscription(
  row: SubscribedService,
  addresses: Addresses,
): Omit<Subscription, 'limits' | 'usage'> {
  return {
    id: row.id,
    serviceId: row.service_id,
    serviceName: row.name,
    version: row.version,
    endpoint: serviceEndpoint(addresses, row.owner_id, row.slug, row.version),
    basis: row.basis,
    ...declaredHosts(row.configuration),
    ...(row.pricing_plan !== null && { pricingPlan: JSON.parse(row.pricing_plan) as PricingPlan }),
    createdAt: toTimestamp(row.created_at),
  };
}
