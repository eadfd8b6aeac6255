import { createPlatformClient, type PlatformClient } from '@kethub/client';
import type { MonthlyUsage, Service, Subscription } from '@kethub/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { finishExecution } from '../../running/executions/finish.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Caller } from '../../testing/gateway.ts';
import { build, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { commercialPlan, freePlan, listing } from '../../testing/marketplace.ts';
import { probe } from '../../testing/probe.ts';

type Person = { client: PlatformClient; loginSession: string };
const patient = { timeout: 60_000 };
/** Allows for a busy machine where other processes learn of a change within a second. */
const soon = { timeout: 20_000 };

describe.each(databases())('subscribing in the marketplace on $name', (kind) => {
  let kethub: TestKethub;
  let provider: Person;
  let grace: Person;
  let service: Service;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    provider = kethub;
    grace = await kethub.signIn('grace');
    ({ service } = await build(provider.client, 'Probe', probe));
    await provider.client.publishServiceVersion({
      serviceId: service.id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
  });
  afterAll(() => kethub.close());
  beforeEach(async () => {
    await provider.client.publishListing({ serviceId: service.id, json: listing() });
  });

  const api = (): string => kethub.kethub.platform.addresses.api;
  async function ask(person: Person, method: string, path: string, body?: unknown, organization?: string) {
    const response = await fetch(api() + path, {
      method,
      headers: {
        authorization: `Bearer ${person.loginSession}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(organization !== undefined && { 'x-organizationid': organization }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }
  const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>): string =>
    `${status} ${member(body, 'type').split('/').at(-1)}`;
  const application = async (person: Person): Promise<string> =>
    (await person.client.createApplication({ json: { name: 'caller' } })).id;
  const subscribe = (person: Person, applicationId: string, body: object) =>
    ask(person, 'POST', `/applications/${applicationId}/subscriptions`, { serviceId: service.id, ...body });

  /** An application of Grace's that has subscribed on this plan, with its caller. */
  async function subscribed(
    pricingPlanId: string,
  ): Promise<{ subscription: Subscription; applicationId: string; caller: Caller }> {
    const made = await grace.client.createApplication({ json: { name: 'caller' } });
    const subscription = await grace.client.subscribe({
      applicationId: made.id,
      json: { serviceId: service.id, pricingPlanId },
    });
    const [key] = made.accessKeys;
    const deployed: DeployedService = {
      service,
      application: made,
      subscription,
      endpoint: subscription.endpoint.replace(/\/$/, ''),
      accessKeyId: key?.accessKeyId ?? '',
      secretAccessKey: key?.secretAccessKey ?? '',
    };
    return { subscription, applicationId: made.id, caller: await callerOf(deployed) };
  }
  const thisMonth = (): string => new Date(kethub.kethub.platform.now()).toISOString().slice(0, 7);
  const bothSides = async (): Promise<[costs: MonthlyUsage, revenue: MonthlyUsage]> => [
    await grace.client.readCosts({ month: thisMonth() }),
    await provider.client.readRevenue({ month: thisMonth() }),
  ];
  /** The charges between two reads, in cents. */
  const cents = ({ totals }: MonthlyUsage): number => Math.round(Number(totals[0]?.cost ?? 0) * 100);

  describe('which plans', () => {
    test('without one: 400 that lists them', async () => {
      const answer = await subscribe(grace, await application(grace), {});
      expect(codeOf(answer)).toBe('400 pricing-plan-required');
      expect(member(answer.body, 'detail')).toContain('"free" (FREE), "paid" (COMMERCIAL), "special" (ON_REQUEST)');
    });
    test('one that is not offered: 400 that lists them', async () => {
      const answer = await subscribe(grace, await application(grace), { pricingPlanId: 'cheap' });
      expect(codeOf(answer)).toBe('400 pricing-plan-required');
      expect(answer.body.errors).toMatchObject([{ pointer: '/pricingPlanId' }]);
    });
    test('one on request: 409 that names the contact', async () => {
      const answer = await subscribe(grace, await application(grace), { pricingPlanId: 'special' });
      expect(codeOf(answer)).toBe('409 on-request-only');
      expect(member(answer.body, 'detail')).toContain('sales@lab.example.org');
    });
    test('of a version that is not offered: 409; of a service that is not: 404', async () => {
      const id = await application(grace);
      expect(codeOf(await subscribe(grace, id, { pricingPlanId: 'free', version: '2.0.0' }))).toBe('409 conflict');
      await provider.client.unpublishListing({ serviceId: service.id });
      expect(codeOf(await subscribe(grace, id, { pricingPlanId: 'free' }))).toBe('404 not-found');
      expect(codeOf(await subscribe(grace, id, {}))).toBe('404 not-found');
    });
    test('the owner of the service subscribes internally, without a plan', async () => {
      const answer = await subscribe(provider, await application(provider), {});
      expect([answer.status, answer.body.basis, answer.body.pricingPlan]).toEqual([201, 'INTERNAL', undefined]);
    });
    test('whoever has subscribed internally does not slip into a price', async () => {
      const id = await application(provider);
      await subscribe(provider, id, {});
      expect(codeOf(await subscribe(provider, id, { pricingPlanId: 'paid' }))).toBe('409 conflict');
    });
    test('nobody subscribes an application of somebody else', async () => {
      const id = await application(provider);
      expect(codeOf(await subscribe(grace, id, { pricingPlanId: 'free' }))).toBe('404 not-found');
    });
  });

  test('the accepted plan is a copy: it holds until the application subscribes anew', async () => {
    const { subscription, applicationId } = await subscribed('paid');
    expect(subscription).toMatchObject({ basis: 'MARKETPLACE', pricingPlan: { products: [{ unitPrice: '0.1' }] } });
    await provider.client.publishListing({
      serviceId: service.id,
      json: listing({ pricingPlans: [freePlan, commercialPlan('0.9')] }),
    });
    const again = await subscribe(grace, applicationId, { pricingPlanId: 'paid' });
    expect(again).toEqual({ status: 200, body: subscription });
    expect(codeOf(await subscribe(grace, applicationId, { pricingPlanId: 'free' }))).toBe('409 conflict');
    expect((await subscribe(grace, applicationId, {})).body).toEqual(subscription);
    await provider.client.publishListing({ serviceId: service.id, json: listing({ pricingPlans: [freePlan] }) });
    expect((await subscribe(grace, applicationId, { pricingPlanId: 'paid' })).body).toEqual(subscription);
    await provider.client.publishListing({
      serviceId: service.id,
      json: listing({ pricingPlans: [freePlan, commercialPlan('0.9')] }),
    });
    await grace.client.unsubscribe({ applicationId, subscriptionId: subscription.id });
    const anew = await subscribe(grace, applicationId, { pricingPlanId: 'paid' });
    expect([anew.status, anew.body.pricingPlan.products[0].unitPrice]).toEqual([201, '0.9']);
    const { body: entries } = await ask(grace, 'GET', '/audit-log?limit=1');
    expect(entries).toMatchObject([
      { action: 'subscription:create', detail: { basis: 'MARKETPLACE', pricingPlan: { id: 'paid' } } },
    ]);
  });

  test('who repeats the request of somebody else learns nothing', async () => {
    const id = await application(grace);
    const repeat = async (person: Person): Promise<number> => {
      const response = await fetch(`${api()}/applications/${id}/subscriptions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${person.loginSession}`,
          'content-type': 'application/json',
          'idempotency-key': 'first',
        },
        body: JSON.stringify({ serviceId: service.id, pricingPlanId: 'free' }),
      });
      return response.status;
    };
    expect(await repeat(grace)).toBe(201);
    expect(await repeat(grace)).toBe(201);
    expect(await repeat(provider)).toBe(404);
  });

  test('of two who subscribe at once with one application both get the one subscription', async () => {
    const id = await application(grace);
    const answers = await Promise.all(Array.from({ length: 5 }, () => subscribe(grace, id, { pricingPlanId: 'paid' })));
    expect(new Set(answers.map(({ body }) => member(body, 'id'))).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
  });

  test('who subscribes while the service is taken down has a subscription that works, or none', async () => {
    for (let round = 0; round < 5; round++) {
      await provider.client.publishListing({ serviceId: service.id, json: listing() });
      const ids = await Promise.all(Array.from({ length: 3 }, () => application(grace)));
      const [taken, ...answers] = await Promise.all([
        ask(provider, 'DELETE', `/services/${service.id}/listing`),
        ...ids.map((id) => subscribe(grace, id, { pricingPlanId: 'paid' })),
      ]);
      expect(taken.status).toBe(204);
      for (const [index, { status }] of answers.entries()) {
        expect([201, 404]).toContain(status);
        expect(await grace.client.listSubscriptions({ applicationId: ids[index] ?? '' })).toHaveLength(
          status === 201 ? 1 : 0,
        );
      }
      // After the answer that the listing is down, nobody else can subscribe.
      expect((await subscribe(grace, await application(grace), { pricingPlanId: 'paid' })).status).toBe(404);
    }
  });

  describe('calls', () => {
    test('what succeeds is charged once to the consumer and earned by the provider', patient, async () => {
      const { caller } = await subscribed('paid');
      const [costs, revenue] = await bothSides();
      for (const params of [{}, { files: { a: 'b' } }, { print: ['x'] }])
        expect((await caller.finish({ params })).status).toBe('SUCCEEDED');
      const [costsAfter, revenueAfter] = await bothSides();
      expect([cents(costsAfter) - cents(costs), cents(revenueAfter) - cents(revenue)]).toEqual([30, 30]);
      expect(costsAfter.lines.at(-1)).toMatchObject({
        serviceId: service.id,
        serviceName: 'Probe',
        version: '1.0.0',
        pricingPlanId: 'paid',
        productId: 'runs',
        unit: 'run',
        currency: 'EUR',
      });
      expect(JSON.stringify(revenueAfter)).not.toContain((await grace.client.getMe()).id);
    });

    test('what fails, is cancelled, or is killed costs nothing', patient, async () => {
      const { caller } = await subscribed('paid');
      const before = await bothSides();
      expect((await caller.finish({ params: { raise: 'no' } })).status).toBe('FAILED');
      expect((await caller.finish({ params: { exit: 3 } })).status).toBe('FAILED');
      const sleeping = await caller.start({ params: { sleep: 60 } });
      expect((await caller.request('PUT', `/${sleeping.id}/cancel`)).status).toBe(200);
      expect(await bothSides()).toEqual(before);
    });

    test('an end that is collected several times at once is charged once', patient, async () => {
      const { caller, subscription } = await subscribed('paid');
      const { platform, runtime } = kethub.kethub;
      // Collects beside the worker, which collects every end as well. For the later one the runtime has forgotten it.
      const collected: Promise<unknown>[] = [];
      const stop = runtime.onEnded((end) => {
        for (let time = 0; time < 3; time++) collected.push(finishExecution(platform, runtime, end));
      });
      const { id } = await caller.finish({});
      stop();
      await Promise.allSettled(collected);
      // The runtime may report an end more than once.
      expect(collected.length).toBeGreaterThanOrEqual(3);
      const records = await platform.database.read
        .selectFrom('usage_records')
        .select(['execution_id', 'product', 'amount', 'unit_price', 'currency', 'test'])
        .where('subscription_id', '=', subscription.id)
        .execute();
      expect(records).toEqual([
        { execution_id: id, product: 'runs', amount: 1_000_000, unit_price: '0.1', currency: 'EUR', test: 0 },
      ]);
    });

    test('a free plan costs nothing', patient, async () => {
      const { caller } = await subscribed('free');
      const before = await bothSides();
      expect((await caller.finish({})).status).toBe('SUCCEEDED');
      expect(await bothSides()).toEqual(before);
    });

    test('run time and CPU time are charged as measured, by the prices of their products', patient, async () => {
      const seconds = { name: 'Seconds', unit: 's', unitPrice: '1', currency: 'USD' };
      const plan = commercialPlan('0.10', [
        { ...seconds, id: 'run-time', metering: 'RUN_SECONDS' },
        { ...seconds, id: 'cpu-time', metering: 'CPU_SECONDS' },
      ]);
      await provider.client.publishListing({
        serviceId: service.id,
        json: listing({ pricingPlans: [{ ...plan, id: 'metered' }] }),
      });
      const { caller } = await subscribed('metered');
      expect((await caller.finish({ params: { sleep: 0.2 } })).status).toBe('SUCCEEDED');
      const { lines } = await grace.client.readCosts({ month: thisMonth() });
      const amounts = new Map(
        lines.filter((one) => one.pricingPlanId === 'metered').map((one) => [one.productId, one.amount]),
      );
      expect(amounts.get('runs')).toBe('1');
      expect(Number(amounts.get('run-time'))).toBeGreaterThan(0);
      expect(Number(amounts.get('cpu-time'))).toBeGreaterThan(0);
    });

    test(
      'those who are subscribed go on when the service is taken down, until the version is retired',
      patient,
      async () => {
        const { caller, subscription, applicationId } = await subscribed('paid');
        await provider.client.unpublishListing({ serviceId: service.id });
        expect((await caller.finish({})).status).toBe('SUCCEEDED');
        expect(
          (await grace.client.subscribe({ applicationId, json: { serviceId: service.id, pricingPlanId: 'paid' } })).id,
        ).toBe(subscription.id);
        const { id } = await caller.finish({});
        // A version that can be started answers 400 for this input, so that nothing is started.
        const statusOfStart = async () => (await caller.request('POST', '/', { body: '[]' })).status;
        await setSunset(1);
        await expect.poll(statusOfStart, soon).toBe(410);
        expect((await caller.request('GET', `/${id}/result`)).status).toBe(200);
        await setSunset(null);
        await expect.poll(statusOfStart, soon).toBe(400);
        expect((await caller.finish({})).status).toBe('SUCCEEDED');
        await grace.client.unsubscribe({ applicationId, subscriptionId: subscription.id });
        await expect.poll(statusOfStart, soon).toBe(404);
      },
    );
    // Set back afterwards, which the platform never does for a retired version.
    const setSunset = (at: number | null) =>
      kethub.kethub.platform.database.write((transaction) =>
        transaction
          .updateTable('service_versions')
          .set({ deprecated_at: at, sunset_at: at })
          .where('service_id', '=', service.id)
          .execute(),
      );

    test('what runs when the subscription ends is charged as agreed', patient, async () => {
      const { caller, subscription, applicationId } = await subscribed('paid');
      const [costs] = await bothSides();
      const { id } = await caller.start({ params: { sleep: 1 } });
      await grace.client.deleteApplication({ applicationId });
      let last = '';
      for await (const { status } of grace.client.executions.watch(id)) last = status;
      expect(last).toBe('SUCCEEDED');
      const [after] = await bothSides();
      expect(subscription.basis).toBe('MARKETPLACE');
      expect(cents(after) - cents(costs)).toBe(10);
    });
  });

  test('transfers keep subscriptions; past usage stays with those who had it', patient, async () => {
    const { service: moved } = await build(provider.client, 'Moved', probe);
    await provider.client.publishServiceVersion({
      serviceId: moved.id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
    await provider.client.publishListing({ serviceId: moved.id, json: listing() });
    const made = await grace.client.createApplication({ json: { name: 'caller' } });
    const subscription = await grace.client.subscribe({
      applicationId: made.id,
      json: { serviceId: moved.id, pricingPlanId: 'paid' },
    });
    const [key] = made.accessKeys;
    const caller = await callerOf({
      service: moved,
      application: made,
      subscription,
      endpoint: subscription.endpoint.replace(/\/$/, ''),
      accessKeyId: key?.accessKeyId ?? '',
      secretAccessKey: key?.secretAccessKey ?? '',
    });
    const runs = async (read: (asked: { month: string }) => Promise<MonthlyUsage>): Promise<string[]> =>
      (await read({ month: thisMonth() })).lines
        .filter((line) => line.serviceId === moved.id)
        .map(({ amount }) => amount);
    const organization = async (person: Person, name: string) => {
      const id = member((await ask(person, 'POST', '/organizations', { name })).body, 'id');
      const credential = { loginSession: person.loginSession };
      return { id, client: createPlatformClient({ baseUrl: api(), credential, organizationId: id }) };
    };
    const [buyer, seller] = [await organization(grace, 'Buyer'), await organization(provider, 'Seller')];
    await caller.finish({});
    const to = (id: string) => ({ type: 'ORGANIZATION', id });
    expect((await ask(grace, 'PUT', `/applications/${made.id}/owner`, to(buyer.id))).status).toBe(200);
    expect((await ask(provider, 'PUT', `/services/${moved.id}/owner`, to(seller.id))).status).toBe(200);
    expect((await caller.finish({})).status).toBe('SUCCEEDED');
    await caller.finish({});
    expect(await runs(grace.client.readCosts)).toEqual(['1']);
    expect(await runs(provider.client.readRevenue)).toEqual(['1']);
    expect(await runs(buyer.client.readCosts)).toEqual(['2']);
    expect(await runs(seller.client.readRevenue)).toEqual(['2']);
    expect(await runs(seller.client.readCosts)).toEqual([]);
  });
});
