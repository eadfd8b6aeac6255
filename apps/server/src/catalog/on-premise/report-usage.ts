import {
  fromMicros,
  limits,
  toMicros,
  toTimestamp,
  type PricingPlan,
  type Product,
  type UsageRecord,
  type UsageReport,
  invalidSentence,
} from '@kethub/contract';
import { once, Problem, type IdempotencyKey } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { Queries, UsageRecordRow } from '../../foundation/storage/index.ts';
import { findOwnService, findUsed, insertUsage, type Used } from './usage-queries.ts';

/** Milliseconds that a provider's clock may be ahead. A later moment is refused. */
const AHEAD_MS = 5 * 60 * 1000;

/**
 * Records use of an on-premise service, as its provider measured it. Under an Idempotency-Key a report that is sent
 * again counts once. Throws invalid-request with all errors. It does not reveal subscriptions to other services.
 */
export async function reportUsage(
  platform: Platform,
  provider: Context,
  serviceId: string,
  report: UsageReport,
  idempotencyKey: IdempotencyKey,
): Promise<UsageRecord> {
  await requireOnPremise(platform.database.read, provider, serviceId);
  return once(platform, idempotencyKey, `usage of ${serviceId}`, JSON.stringify(report), async (transaction) => {
    await requireOnPremise(transaction, provider, serviceId);
    const now = platform.now();
    const used = await findUsed(transaction, serviceId, report.subscriptionId);
    const at = momentOf(report.at, now);
    const amount = toMicros(report.amount);
    const products = used && chargedProducts(used);
    const errors = [
      ...(used ? [] : [fault('/subscriptionId', 'is no subscription to this service')]),
      ...faultsOfProduct(report.product, products),
      ...(amount > 0n ? [] : [fault('/amount', 'must be more than 0')]),
      ...faultsOfMoment(at, used, now),
    ];
    if (!used || at === null || errors.length > 0) throw invalid(errors);
    const product = products?.find(({ id }) => id === report.product);
    const row: UsageRecordRow = {
      id: platform.newId(),
      subscription_id: report.subscriptionId,
      application_id: used.application_id,
      service_id: serviceId,
      service_version_id: used.service_version_id,
      execution_id: null,
      product: report.product,
      amount: Number(amount),
      unit_price: product?.unitPrice ?? null,
      currency: product?.currency ?? null,
      test: report.test ? 1 : 0,
      consumer_type: used.consumer_type,
      consumer_id: used.consumer_id,
      provider_type: provider.type,
      provider_id: provider.id,
      occurred_at: at,
      created_at: now,
    };
    await insertUsage(transaction, row);
    return present(row, used.version);
  });
}

async function requireOnPremise(queries: Queries, provider: Context, id: string): Promise<void> {
  const service = await findOwnService(queries, provider, id);
  if (!service) throw new Problem('not-found', `You have no service ${id}.`);
  if (service.type !== 'ON_PREMISE')
    throw new Problem('conflict', 'The platform measures the use of this service itself: it runs here.');
}

/** The products that the commercial plan of a subscription charges for; null when there is none. */
function chargedProducts({ pricing_plan }: Used): readonly Product[] | null {
  if (pricing_plan === null) return null;
  // Validated when the service was listed.
  const { type, products = [] } = JSON.parse(pricing_plan) as PricingPlan;
  return type === 'COMMERCIAL' ? products : null;
}

type Fault = { pointer: string; detail: string };

function fault(pointer: string, detail: string): Fault {
  return { pointer, detail };
}

function faultsOfProduct(id: string, products: readonly Product[] | null | undefined): Fault[] {
  if (!products) return [];
  const reported = products.filter(({ metering }) => metering === 'REPORTED').map((product) => product.id);
  if (reported.includes(id)) return [];
  const choice = reported.length === 0 ? 'none' : reported.join(', ');
  return [fault('/product', `is no product of the plan whose use is reported; these are: ${choice}`)];
}

function faultsOfMoment(at: number | null, used: Used | undefined, now: number): Fault[] {
  if (at === null) return [fault('/at', 'is no date and time that exists')];
  if (at > now + AHEAD_MS) return [fault('/at', `lies in the future: it is ${toTimestamp(now)} UTC`)];
  const days = limits.usageReportMs / 86_400_000;
  if (at < now - limits.usageReportMs) return [fault('/at', `lies more than ${days} days back`)];
  // A timestamp has whole seconds.
  if (used && at < used.since - 1_000) return [fault('/at', 'lies before the subscription began')];
  return [];
}

/** Epoch milliseconds of `yyyy-MM-dd HH:mm:ss`, or null when there is no such moment. */
function momentOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return now;
  const at = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(at) || toTimestamp(at) !== text ? null : at;
}

function invalid(errors: Fault[]): Problem {
  return new Problem('invalid-request', invalidSentence(errors, 'The report'), { errors });
}

function present(row: UsageRecordRow, version: string): UsageRecord {
  return {
    id: row.id,
    subscriptionId: row.subscription_id,
    serviceId: row.service_id,
    version,
    product: row.product,
    amount: fromMicros(BigInt(row.amount)),
    ...(row.unit_price !== null && { unitPrice: row.unit_price }),
    ...(row.currency !== null && { currency: row.currency }),
    at: toTimestamp(row.occurred_at),
    test: row.test === 1,
    createdAt: toTimestamp(row.created_at),
  };
}
