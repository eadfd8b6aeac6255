import type { ServiceSubscription, UsageLimitsRequest, UsageRecord, UsageReport } from '@kethub/contract';
import { path, sendForJson, type CallOptions, type Connection } from './connection.ts';

/** How much of a service may be used and is, as its provider sees it. */
export function usageAt(connection: Connection) {
  return {
    /** What every subscription to a service may use whose own limits say nothing. */
    serviceLimits: (id: string, options?: CallOptions) =>
      sendForJson<UsageLimitsRequest>(connection, { path: path`/services/${id}/limits`, ...options }),
    setServiceLimits: (id: string, limits: UsageLimitsRequest, options?: CallOptions) =>
      sendForJson<UsageLimitsRequest>(connection, {
        method: 'PUT',
        path: path`/services/${id}/limits`,
        json: limits,
        ...options,
      }),
    /** The subscriptions to a service, as its provider sees them. */
    serviceSubscriptions: (id: string, options?: CallOptions) =>
      sendForJson<ServiceSubscription[]>(connection, { path: path`/services/${id}/subscriptions`, ...options }),
    setSubscriptionLimits: (id: string, subscription: string, limits: UsageLimitsRequest, options?: CallOptions) =>
      sendForJson<UsageLimitsRequest>(connection, {
        method: 'PUT',
        path: path`/services/${id}/subscriptions/${subscription}/limits`,
        json: limits,
        ...options,
      }),
    /** Use of a service that runs elsewhere, reported by its provider. A key makes a repeated report count once. */
    reportUsage: (
      id: string,
      report: Omit<UsageReport, 'test'> & { readonly test?: boolean },
      { key, ...options }: CallOptions & { readonly key?: string } = {},
    ) =>
      sendForJson<UsageRecord>(connection, {
        method: 'POST',
        path: path`/services/${id}/usage`,
        json: report,
        ...options,
        ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      }),
  };
}
