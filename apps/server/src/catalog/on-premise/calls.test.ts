import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, heardEverywhere, type Caller } from '../../testing/gateway.ts';
import { awayFromMidnight } from '../../testing/midnight.ts';
import { startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import {
  deployOnPremise,
  localTargets,
  startProvider,
  startRawProvider,
  type Provider,
} from '../../testing/on-premise.ts';
import { startReceiver } from '../../testing/trace-receiver.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
/** Calls that `provider` has not received: another provider got them, or none. */
const OTHER_CALLS = 2;

describe.each(databases())('calls of an on-premise service on $name', (kind) => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let kethub: TestKethub;
  let provider: Provider;
  let service: DeployedService;
  let caller: Caller;
  beforeAll(async () => {
    receiver = await startReceiver();
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, KETHUB_TRACE_RATIO: '1' };
    kethub = await startTestKethub(kind, { ...localTargets, ...traced });
    provider = await startProvider();
    service = await deployOnPremise(kethub.client, 'Elsewhere', { url: provider.url });
    caller = await callerOf(service);
  });
  afterAll(async () => {
    await kethub.close();
    // Remaining spans are exported at the end.
    const { spans } = receiver;
    await receiver.close();
    await provider.close();

    const calls = spans.filter(({ name }) => name === 'on-premise call');
    const continued = calls.filter(({ traceId }) => traceId === TRACE);
    expect(continued.map(({ kind: of }) => of)).toEqual([CLIENT, CLIENT]);
    const parents = continued.map(({ parentSpanId }) => spans.find(({ spanId }) => spanId === parentSpanId));
    expect(parents.map((parent) => [parent?.name, parent?.parentSpanId])).toEqual([
      ['POST /:owner/:service/:version/', SPAN],
      ['PATCH /:owner/:service/:version/*', SPAN],
    ]);
    const traceParents = new Set(calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
    for (const { headers } of provider.received) expect(traceParents).toContain(headers['traceparent']?.toString());
    expect(calls).toHaveLength(provider.received.length + OTHER_CALLS);
  });

  const put = async (limits: object): Promise<void> => {
    const none = { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null };
    const { api } = kethub.platform.addresses;
    const answer = await fetch(
      `${api}/services/${service.service.id}/subscriptions/${service.subscription.id}/limits`,
      {
        method: 'PUT',
        headers: { authorization: `Bearer ${kethub.loginSession}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...none, ...limits }),
      },
    );
    expect(answer.status).toBe(200);
    await heardEverywhere();
  };

  test('they are part of the trace of the caller, or begin one; a state without a trace is not passed on', async () => {
    const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'lab=1' };
    await caller.request('POST', '/', { body: '{}', headers });
    await caller.request('PATCH', '/deep/below/here', { body: '{}', headers });
    await caller.request('GET', '/deep', { headers: { traceparent: '00-nonsense', tracestate: 'lab=1' } });
    const [first, second, third] = provider.received.slice(-3).map(({ headers: received }) => received);
    for (const one of [first, second]) {
      expect(one?.['traceparent']).toMatch(new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-01$`));
      expect(one?.['tracestate']).toBe('lab=1');
    }
    expect(third?.['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[13]$/);
    expect(third?.['traceparent']).not.toContain(TRACE);
    expect(third?.['tracestate']).toBeUndefined();
  });

  test('a quota counts each POST, and when it is used up the provider is not asked; other calls go on', async () => {
    await awayFromMidnight(20_000);
    await put({ executionsPerDay: 3 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_none, index) =>
        caller.request('POST', index % 2 === 0 ? '/' : '/jobs/of/mine', { body: `{"quota": ${index}}` }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(refused).toHaveLength(3);
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ type: expect.stringMatching(/\/quota-exceeded$/) });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('ratelimit')).toContain('"executions-per-day";r=0');
    }
    expect(answers.find(({ status }) => status === 200)?.headers.get('ratelimit-policy')).toContain('q=3;w=86400');
    expect(provider.received.filter(({ body }) => body.includes('quota'))).toHaveLength(3);
    expect((await caller.request('DELETE', '/jobs/of/mine')).status).toBe(200);
    const [subscription] = await kethub.client.listSubscriptions({ applicationId: service.application.id });
    expect(subscription?.usage).toMatchObject({ executionsToday: 3 });
  });

  test('what has certainly not reached the provider is not counted, what may have is', async () => {
    await awayFromMidnight(20_000);
    const deaf = await startRawProvider((socket) => socket.once('data', () => socket.destroy()));
    const target = (url: string) =>
      kethub.client.setTarget({ serviceId: service.service.id, version: service.subscription.version, json: { url } });
    await put({ executionsPerMonth: 10 });
    const used = async (): Promise<number> => {
      const [subscription] = await kethub.client.listSubscriptions({ applicationId: service.application.id });
      return subscription?.usage.executionsThisMonth ?? 0;
    };
    const before = await used();
    await target(deaf.url);
    await heardEverywhere();
    expect((await caller.request('POST', '/', { body: '{}' })).status).toBe(502);
    expect(await used()).toBe(before + 1);
    await deaf.close();
    const unreached = await caller.request('POST', '/', { body: '{}' });
    expect(unreached.body).toMatchObject({ type: expect.stringMatching(/\/upstream-unreachable$/) });
    expect(unreached.headers.get('ratelimit')).not.toContain('executions');
    expect(await used()).toBe(before + 1);
    await target(provider.url);
    await put({});
  });

  test('the limit on requests a minute holds for every method and path', async () => {
    await put({ requestsPerMinute: 4 });
    const answers = [];
    for (const method of ['PUT', 'POST', 'REPORT', 'PATCH', 'GET', 'DELETE'])
      answers.push(await caller.request(method, '/some/where/else'));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await put({});
    expect((await caller.request('PUT', '/some/where/else')).status).toBe(200);
  });
});

/** SPAN_KIND_CLIENT of opentelemetry-proto. */
const CLIENT = 3;
