import type { UsageLimits } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases, type TestDatabase } from '../../testing/databases.ts';
import { callerOf, heardEverywhere, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { awayFromMidnight } from '../../testing/midnight.ts';
import { probe } from '../../testing/probe.ts';
import { countExecution } from './count-execution.ts';
import { periodsOf } from './periods.ts';

const MINUTE = 60_000;
const none: UsageLimits = { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null };

test.each([
  ['2026-11-21T00:00:00.000Z', '2026-11-21', '2026-11-22', '2026-11', '2026-12-01'],
  ['2026-11-21T23:59:59.999Z', '2026-11-21', '2026-11-22', '2026-11', '2026-12-01'],
  ['2026-12-31T12:00:00.000Z', '2026-12-31', '2027-01-01', '2026-12', '2027-01-01'],
  ['2028-02-29T12:00:00.000Z', '2028-02-29', '2028-03-01', '2028-02', '2028-03-01'],
])('%s lies in the day %s and the month %s of UTC', (at, day, nextDay, month, nextMonth) => {
  const periods = periodsOf(Date.parse(at));
  const show = (one: { name: string; end: number }) => [one.name, new Date(one.end).toISOString().slice(0, 10)];
  expect([show(periods.day), show(periods.month)]).toEqual([[day, nextDay], [month, nextMonth]]); // prettier-ignore
});

describe.each(databases())('counting on $name', ({ open }) => {
  let first: TestDatabase;
  beforeAll(async () => {
    first = await open();
    await first.database.write(async (transaction) => {
      const owner = { owner_type: 'USER' as const, owner_id: 'u', created_at: 0, revision: 0, name: 'x' };
      await transaction
        .insertInto('applications')
        .values({ id: 'a', ...owner })
        .execute();
      const service = { ...owner, id: 's', slug: 'x', type: 'MANAGED' as const, description: '', stored_bytes: 0 };
      await transaction.insertInto('services').values(service).execute();
      const version = { id: 'v', service_id: 's', version: '1.0.0', state: 'PUBLISHED' as const };
      const built = { visibility: 'INTERNAL' as const, configuration: '{}', source_blob: '', source_bytes: 0 };
      const others = { source_digest: '', build_id: '', created_at: 0, revision: 0 };
      await transaction
        .insertInto('service_versions')
        .values({ ...version, ...built, ...others })
        .execute();
      const subscription = { application_id: 'a', service_id: 's', service_version_id: 'v', created_at: 0 };
      await transaction
        .insertInto('subscriptions')
        .values({ id: 'sub', basis: 'INTERNAL', ...subscription })
        .execute();
    });
  });
  afterAll(() => first.close());

  test('two processes at once start exactly as many as the quota has, and another day begins anew', async () => {
    const second = await first.again();
    const limits = { ...none, executionsPerDay: 20 };
    const day = Date.parse('2026-11-21T12:00:00Z');
    const start = async (index: number, now: number): Promise<boolean> => {
      const { database } = index % 2 === 0 ? first : { database: second };
      return database
        .write((transaction) => countExecution(transaction, 'sub', limits, now))
        .then(() => true)
        .catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'quota-exceeded', headers: { 'retry-after': '43200' } });
          return false;
        });
    };
    const started = await Promise.all(Array.from({ length: 60 }, (_none, index) => start(index, day)));
    expect(started.filter(Boolean)).toHaveLength(20);
    const kept = () =>
      first.database.read.selectFrom('execution_counts').select(['period', 'taken']).orderBy('period').execute();
    expect(await kept()).toEqual([{ period: '2026-11', taken: 20 }, { period: '2026-11-21', taken: 20 }]); // prettier-ignore

    expect(await start(0, day + 86_400_000)).toBe(true);
    // The count of the day before is gone, that of the month goes on.
    expect(await kept()).toEqual([{ period: '2026-11', taken: 21 }, { period: '2026-11-22', taken: 1 }]); // prettier-ignore
    await second.close();
  });

  test('the quota of the month ends what that of the day would allow', async () => {
    const now = Date.parse('2027-01-31T23:59:00Z');
    const limits = { ...none, executionsPerDay: 5, executionsPerMonth: 2 };
    const start = () => first.database.write((transaction) => countExecution(transaction, 'sub', limits, now));
    await start();
    expect(await start()).toEqual({
      ratelimit: '"executions-per-day";r=3;t=60, "executions-per-month";r=0;t=60',
      'ratelimit-policy': '"executions-per-day";q=5;w=86400, "executions-per-month";q=2;w=2678400',
    });
    await expect(start()).rejects.toMatchObject({ code: 'quota-exceeded' });
  });
});

describe.each(databases())('limits on a subscription on $name', (kind) => {
  let kethub: TestKethub;
  let service: DeployedService;
  let app: Caller;
  beforeAll(async () => {
    kethub = await startTestKethub(kind, {
      KETHUB_SUBSCRIPTION_EXECUTIONS_PER_MONTH: '1000',
      KETHUB_RATE_LIMIT_REQUESTS: '0',
    });
    service = await deploy(kethub.client, 'Limited', probe);
    app = await callerOf(service);
    // The tests share one day, so each finds the counts of the one before.
    await awayFromMidnight(2 * MINUTE);
  }, 5 * MINUTE);
  afterAll(() => kethub.close());

  const put = async (path: string, limits: object, session = kethub.loginSession): Promise<Response> => {
    const answer = await fetch(`${kethub.kethub.platform.addresses.api}/services/${service.service.id}${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...none, ...limits }),
    });
    if (answer.ok) await heardEverywhere();
    return answer;
  };
  const subscribed = async () => {
    const [found] = await kethub.client.listSubscriptions({ applicationId: service.application.id });
    return found;
  };

  test('the consumer sees the limits and what is used of them: of the subscription, the service, the installation', async () => {
    expect(service.subscription.limits).toEqual({ ...none, executionsPerMonth: 1000 });
    await put('/limits', { executionsPerDay: 3, requestsPerMinute: 6_000 });
    const own = `/subscriptions/${service.subscription.id}/limits`;
    expect((await put(own, { executionsPerDay: 2 })).status).toBe(200);
    const limits = { requestsPerMinute: 6_000, executionsPerDay: 2, executionsPerMonth: 1000 };
    expect(await subscribed()).toMatchObject({ limits, usage: { executionsToday: 0, executionsThisMonth: 0 } });
    const started = await app.request('POST', '/', { body: '{}' });
    expect(started.status).toBe(201);
    expect(started.headers.get('ratelimit-policy')).toMatch(
      /^"subscription";q=6000;w=60, "executions-per-day";q=2;w=86400, "executions-per-month";q=1000;w=\d+$/,
    );
    expect(await subscribed()).toMatchObject({ usage: { executionsToday: 1, executionsThisMonth: 1 } });
  });

  test('when they are used up it is 429, nothing is started, a repeated request counts once, and raising the quota helps', async () => {
    const body = '{}';
    const repeated = { body, headers: { 'idempotency-key': 'one' } };
    expect((await app.request('POST', '/', repeated)).status).toBe(201);
    expect((await app.request('POST', '/', repeated)).status).toBe(201);
    const refused = await app.request('POST', '/', { body });
    expect([refused.status, refused.body]).toMatchObject([429, { type: expect.stringMatching(/\/quota-exceeded$/) }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toContain('"executions-per-day";r=0');
    // The refused call did not run; other calls go on.
    const list = await app.request('GET', '/');
    expect([list.status, (list.body as unknown[]).length]).toEqual([200, 2]);
    await put(`/subscriptions/${service.subscription.id}/limits`, { executionsPerDay: 3 });
    expect((await app.request('POST', '/', { body })).status).toBe(201);
    expect((await app.request('POST', '/', { body })).status).toBe(429);
  });

  test('requests a minute are those of one subscription', async () => {
    const { application } = service;
    const other = await kethub.client.createApplication({ json: { name: 'another' } });
    await kethub.client.subscribe({ applicationId: other.id, json: { serviceId: service.service.id } });
    const [key] = other.accessKeys;
    if (!key) throw new Error('An application without an access key');
    const secretAccessKey = (await kethub.client.revealSecretAccessKey({ applicationId: other.id, keyId: key.id }))
      .secretAccessKey;
    const neighbour = await callerOf({ ...service, application: other, accessKeyId: key.accessKeyId, secretAccessKey });
    await put(`/subscriptions/${service.subscription.id}/limits`, { requestsPerMinute: 60 });
    let last = await app.request('GET', '/');
    for (let round = 0; round < 1_000 && last.status === 200; round++) last = await app.request('GET', '/');
    expect([last.status, last.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await neighbour.request('GET', '/')).status).toBe(200);
    expect(application.id).not.toBe(other.id);
  });

  test('the provider sees who has subscribed and sets limits; somebody else does not', async () => {
    const api = kethub.kethub.platform.addresses.api;
    const authorization = `Bearer ${kethub.loginSession}`;
    const answer = await fetch(`${api}/services/${service.service.id}/subscriptions`, { headers: { authorization } });
    const rows = (await answer.json()) as { id: string; set: object; subscriber: object }[];
    expect(rows.find(({ id }) => id === service.subscription.id)).toMatchObject({
      version: '1.0.0',
      subscriber: service.application.owner,
      set: { ...none, requestsPerMinute: 60 },
      limits: { requestsPerMinute: 60, executionsPerDay: 3, executionsPerMonth: 1000 },
      usage: { executionsToday: 3, executionsThisMonth: 3 },
    });
    const stranger = await kethub.signIn('grace');
    const own = `/subscriptions/${service.subscription.id}/limits`;
    expect((await put(own, {}, stranger.loginSession)).status).toBe(404);
    expect((await put('/limits', {}, stranger.loginSession)).status).toBe(404);
    expect((await put('/limits', { executionsPerDay: 0 })).status).toBe(400);
    expect((await put('/limits', { executionsPerDay: 1e12 })).status).toBe(400);
    expect((await put(`/subscriptions/${kethub.kethub.platform.newId()}/limits`, {})).status).toBe(404);
  });
});
