import { setTimeout as pause } from 'node:timers/promises';
import { KethubError, type PlatformClient } from '@kethub/client';
import { toTimestamp } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Answered } from '../../testing/gateway.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import {
  deployOnPremise,
  localTargets,
  startProvider,
  type Provider,
  type Received,
} from '../../testing/on-premise.ts';

const credentials = { username: 'gate', password: 'correct-battery' };

describe.each(databases())('services that run elsewhere on $name', (kind) => {
  let kethub: TestKethub;
  let client: PlatformClient;
  let provider: Provider;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, localTargets);
    ({ client } = kethub);
    provider = await startProvider();
  });
  afterAll(async () => {
    await provider.close();
    await kethub.close();
  });

  async function request(
    method: string,
    path: string,
    body: object,
    more: Record<string, string> = {},
  ): Promise<Answered> {
    const response = await fetch(kethub.kethub.platform.addresses.api + path, {
      method,
      headers: { authorization: `Bearer ${kethub.loginSession}`, 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown };
  }
  const columns = (serviceId: string) =>
    kethub.kethub.platform.database.read
      .selectFrom('on_premise_targets')
      .innerJoin('service_versions', 'service_versions.id', 'service_version_id')
      .select(['url', 'timeout_ms', 'sealed_credentials'])
      .where('service_id', '=', serviceId)
      .execute();

  test('is created as a draft, credentials sealed and never shown, published without a build, called', async () => {
    const created = await request('POST', '/services', {
      type: 'ON_PREMISE',
      name: 'Annealer',
      target: { url: provider.url, timeoutSeconds: 5, credentials },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      type: 'ON_PREMISE',
      versions: [
        {
          version: '1.0.0',
          state: 'DRAFT',
          target: { url: `${provider.url}/`, timeoutSeconds: 5, hasCredentials: true },
        },
      ],
    });
    const { id } = created.body as { id: string };
    const [row] = await columns(id);
    expect(row?.sealed_credentials).toMatch(/^[\w-]{40,}$/);
    for (const text of [created.text, JSON.stringify(await client.listServices()), JSON.stringify(row)]) {
      expect(text).not.toContain(credentials.password);
      expect(text).not.toContain('"build"');
    }
    const published = await client.publishServiceVersion({
      serviceId: id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
    expect(published).toMatchObject({ state: 'PUBLISHED', endpoint: expect.stringContaining('/annealer/1.0.0/') });
  });

  test('the same Idempotency-Key creates one', async () => {
    const body = { type: 'ON_PREMISE', name: 'Once', target: { url: provider.url, credentials } };
    const key = { 'idempotency-key': 'one' };
    const [first, again] = [
      await request('POST', '/services', body, key),
      await request('POST', '/services', body, key),
    ];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    const other = await request('POST', '/services', { ...body, description: 'x' }, key);
    expect(other.status).toBe(422);
  });

  test.each([
    ['no target', {}, '/target'],
    ['no address', { target: {} }, '/target/url'],
    ['another scheme', { target: { url: 'ftp://example.org/' } }, '/target/url'],
    ['credentials in the address', { target: { url: 'https://a:b@example.org/' } }, '/target/url'],
    ['a query', { target: { url: 'https://example.org:8443/?a' } }, '/target/url'],
    ['a fragment', { target: { url: 'https://example.org:8443/#a' } }, '/target/url'],
    ['dot segments', { target: { url: 'https://example.org:8443/a/../b' } }, '/target/url'],
    ['encoded dot segments', { target: { url: 'https://example.org:8443/a/%2e%2e/b' } }, '/target/url'],
    ['a port that is not allowed', { target: { url: 'https://example.org:22/' } }, '/target/url'],
    ['a private address', { target: { url: 'https://10.0.0.1:8443/' } }, '/target/url'],
    ['loopback of IPv6', { target: { url: 'https://[::1]:8443/' } }, '/target/url'],
    ['an IPv4-mapped address', { target: { url: 'https://[::ffff:10.0.0.1]:8443/' } }, '/target/url'],
    ['a decimal address', { target: { url: 'https://167772161:8443/' } }, '/target/url'],
    ['an octal address', { target: { url: 'https://012.0.0.1:8443/' } }, '/target/url'],
    ['a hexadecimal address', { target: { url: 'https://0xa000001:8443/' } }, '/target/url'],
    ['a short address', { target: { url: 'https://10.1:8443/' } }, '/target/url'],
    ['full-width digits', { target: { url: 'https://１０.0.0.1:8443/' } }, '/target/url'],
    ['a final dot', { target: { url: 'https://10.0.0.1.:8443/' } }, '/target/url'],
    [
      'a colon in the name',
      { target: { url: 'https://example.org:8443/', credentials: { username: 'a:b', password: '' } } },
      '/target/credentials/username',
    ],
    [
      'a line break in the password',
      { target: { url: 'https://example.org:8443/', credentials: { username: 'a', password: 'a\r\nX: y' } } },
      '/target/credentials/password',
    ],
    ['no time', { target: { url: 'https://example.org:8443/', timeoutSeconds: 0 } }, '/target/timeoutSeconds'],
    ['an unknown member', { target: { url: 'https://example.org:8443/', colour: 'red' } }, '/target/colour'],
  ])('with %s none is created, and the pointer is named', async (what, body, pointer) => {
    const answer = await request('POST', '/services', { type: 'ON_PREMISE', name: `Refused ${what}`, ...body });
    expect(answer.status).toBe(400);
    const { errors } = answer.body as { errors: { pointer: string }[] };
    expect(errors.map((error) => error.pointer)).toContain(pointer);
    expect((await client.listServices()).filter(({ name }) => name.startsWith('Refused'))).toEqual([]);
  });

  test('without the settings that allow them, http and this machine are refused', async () => {
    const strict = await startTestKethub(kind);
    try {
      for (const url of ['http://example.org/', 'https://127.0.0.1/', 'https://example.org:9000/']) {
        await expect(
          strict.client.createService({ json: { type: 'ON_PREMISE', name: 'X', target: { url } } }),
        ).rejects.toThrow(KethubError);
      }
      const { id } = await strict.client.createService({
        json: { type: 'ON_PREMISE', name: 'X', target: { url: 'https://example.org/' } },
      });
      expect(id).toBeTruthy();
    } finally {
      await strict.close();
    }
  });

  test('the next version has a target of its own, and no credentials of the one before', async () => {
    const { service } = await deployOnPremise(client, 'Versions', { url: provider.url, credentials });
    const next = await client.addServiceVersion({
      serviceId: service.id,
      json: { target: { url: `${provider.url}/v2` } },
    });
    expect(next).toMatchObject({ version: '1.1.0', state: 'DRAFT', target: { hasCredentials: false } });
    await expect(
      client.addServiceVersion({ serviceId: service.id, json: { target: { url: provider.url } } }),
    ).rejects.toThrow(/still a draft/);
    await client.publishServiceVersion({ serviceId: service.id, version: '1.1.0', json: { visibility: 'INTERNAL' } });
    expect((await client.getService({ serviceId: service.id })).versions.map(({ state }) => state)).toEqual([
      'PUBLISHED',
      'PUBLISHED',
    ]);
  });

  test('what belongs to managed services is not there, and the other way round', async () => {
    const { id } = await client.createService({
      json: { type: 'ON_PREMISE', name: 'Bare', target: { url: provider.url } },
    });
    await expect(client.getBuild({ serviceId: id, version: '1.0.0' })).rejects.toThrow(/not a managed one/);
    await expect(client.configureServiceVersion({ serviceId: id, version: '1.0.0', json: {} })).rejects.toThrow(
      /not a managed one/,
    );
    await expect(client.addServiceVersion({ serviceId: id, body: new Blob(['x']) })).rejects.toThrow(KethubError);
    await client.deleteService({ serviceId: id });
    expect(await columns(id)).toEqual([]);
  });

  test('a published target moves with its callers, within a second, and is on record', async () => {
    const moved = await startProvider();
    const deployed = await deployOnPremise(client, 'Moving', { url: provider.url, credentials });
    const { id } = deployed.service;
    const caller = await callerOf(deployed);
    expect(((await caller.request('GET', '/')).body as Received).headers.authorization).toMatch(/^Basic /);
    // The stored credentials do not go to another host: a person who may change the target could read them there.
    const refused = await request('PUT', `/services/${id}/versions/1.0.0/target`, { url: moved.url });
    expect([refused.status, (refused.body as { errors: object[] }).errors]).toMatchObject([
      400,
      [{ pointer: '/credentials' }],
    ]);
    await client.setTarget({
      serviceId: id,
      version: '1.0.0',
      json: { url: `${provider.url}/deeper`, timeoutSeconds: 7 },
    });
    expect(await columns(id)).toMatchObject([{ timeout_ms: 7_000, sealed_credentials: expect.any(String) }]);
    await client.setTarget({
      serviceId: id,
      version: '1.0.0',
      json: {
        url: moved.url,
        credentials: { username: 'new', password: 'other-battery' },
      },
    });
    while (moved.received.length === 0) {
      await caller.request('GET', '/');
      await pause(50);
    }
    expect(moved.received[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('new:other-battery').toString('base64')}`,
    );
    await client.setTarget({ serviceId: id, version: '1.0.0', json: { url: moved.url, credentials: null } });
    expect(await columns(id)).toMatchObject([{ sealed_credentials: null }]);
    const entries = await kethub.kethub.platform.database.read
      .selectFrom('audit_entries')
      .select('detail')
      .where('resource_id', '=', id)
      .where('action', '=', 'service:change')
      .orderBy('id')
      .execute();
    expect(entries.map(({ detail }) => JSON.parse(detail) as object)).toMatchObject([
      { version: '1.0.0', newCredentials: false },
      { from: { url: `${provider.url}/deeper` }, to: { url: `${moved.url}/` }, newCredentials: true },
      { to: { hasCredentials: false } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('battery');
    await moved.close();
  });

  test('of two who change it on the same state one is refused', async () => {
    const { id } = await client.createService({
      json: { type: 'ON_PREMISE', name: 'Edited', target: { url: provider.url } },
    });
    const put = (match: string) =>
      request('PUT', `/services/${id}/versions/1.0.0/target`, { url: `${provider.url}/x` }, { 'if-match': match });
    expect((await put('"1"')).status).toBe(200);
    expect((await put('"1"')).status).toBe(412);
  });

  test('a call ends with its subscription, within a second', async () => {
    const deployed = await deployOnPremise(client, 'Ending', { url: provider.url });
    const caller = await callerOf(deployed);
    expect((await caller.request('PATCH', '/a/b')).status).toBe(200);
    await client.unsubscribe({ applicationId: deployed.application.id, subscriptionId: deployed.subscription.id });
    let status = 200;
    while (status === 200) status = (await caller.request('PATCH', '/a/b')).status;
    expect(status).toBe(403);
  });

  describe('use that the provider reports', () => {
    let deployed: Awaited<ReturnType<typeof deployOnPremise>>;
    beforeAll(async () => {
      deployed = await deployOnPremise(client, 'Metered', { url: provider.url });
    });
    const records = () =>
      kethub.kethub.platform.database.read
        .selectFrom('usage_records')
        .selectAll()
        .where('service_id', '=', deployed.service.id)
        .orderBy('id')
        .execute();
    const report = (more: object, headers: Record<string, string> = {}) =>
      request(
        'POST',
        `/services/${deployed.service.id}/usage`,
        { subscriptionId: deployed.subscription.id, product: 'shots', amount: '1', ...more },
        headers,
      );

    test('is recorded for the application, once under a key; a test apart', async () => {
      const { id } = deployed.service;
      const { id: subscriptionId } = deployed.subscription;
      const at = toTimestamp(Date.now());
      const one = { subscriptionId, product: 'shots', amount: '2.5', at };
      const first = await client.reportUsage({ serviceId: id, json: one, headers: { 'idempotency-key': 'job-1' } });
      expect(await client.reportUsage({ serviceId: id, json: one, headers: { 'idempotency-key': 'job-1' } })).toEqual(
        first,
      );
      expect(first).toMatchObject({ amount: '2.5', at, test: false, version: '1.0.0' });
      const tested = await client.reportUsage({ serviceId: id, json: { ...one, test: true } });
      expect(tested).toMatchObject({ test: true });
      const { id: consumer } = await client.getMe();
      expect(await records()).toMatchObject([
        {
          id: first.id,
          subscription_id: subscriptionId,
          application_id: deployed.application.id,
          product: 'shots',
          amount: 2_500_000,
          unit_price: null,
          test: 0,
          consumer_type: 'USER',
          consumer_id: consumer,
          provider_id: consumer,
        },
        { id: tested.id, test: 1 },
      ]);
    });

    test.each([
      ['a subscription of nobody', { subscriptionId: '01a1fd32-d765-71ab-ba39-25ede922012b' }, '/subscriptionId'],
      ['nothing used', { amount: '0' }, '/amount'],
      ['a number that is none', { amount: '1e3' }, '/amount'],
      ['a number in place of text', { amount: 1 }, '/amount'],
      ['a day that does not exist', { at: '2026-02-30 10:00:00' }, '/at'],
      ['the future', { at: '2999-01-01 00:00:00' }, '/at'],
      ['long ago', { at: '2020-01-01 00:00:00' }, '/at'],
      ['a moment before the subscription', { at: toTimestamp(Date.now() - 3_600_000) }, '/at'],
      ['no product', { product: '' }, '/product'],
    ])('%s is refused, also as a test, and the pointer is named', async (_what, more, pointer) => {
      const before = (await records()).length;
      for (const test of [false, true]) {
        const answer = await report({ ...more, test });
        expect(answer.status).toBe(400);
        const { errors } = answer.body as { errors: { pointer: string }[] };
        expect(errors.map((error) => error.pointer)).toContain(pointer);
      }
      expect((await records()).length).toBe(before);
    });

    test('of a subscription to another service, or for a service of another, is refused', async () => {
      const other = await deployOnPremise(client, 'Other', { url: provider.url });
      expect((await report({ subscriptionId: other.subscription.id })).status).toBe(400);
      const { client: stranger } = await kethub.signIn('mallory');
      const { id: subscriptionId } = deployed.subscription;
      const theirs = stranger.reportUsage({
        serviceId: deployed.service.id,
        json: { subscriptionId, product: 'shots', amount: '1' },
      });
      await expect(theirs).rejects.toThrow(/You have no service/);
    });

    test('follows the commercial plan of the subscription, also when it has ended', async () => {
      const { database } = kethub.kethub.platform;
      const { id: consumer } = await client.getMe();
      const product = { name: 'Shots', unit: 'shot', unitPrice: '0.05', currency: 'EUR' };
      const products = [
        { id: 'shots', metering: 'REPORTED', ...product },
        { id: 'runs', metering: 'EXECUTION', ...product },
      ];
      const subscriptionId = '01a1fd32-d765-71ab-ba39-25ede9220199';
      const accepted = {
        subscription_id: subscriptionId,
        application_id: deployed.application.id,
        service_id: deployed.service.id,
        service_version_id: 'gone',
        service_name: 'Metered',
        version: '1.0.0',
        type: 'COMMERCIAL',
        pricing_plan: JSON.stringify({ id: 'basic', name: 'Basic', type: 'COMMERCIAL', products }),
        consumer_type: 'USER',
        consumer_id: consumer,
        provider_type: 'USER',
        provider_id: consumer,
        accepted_at: Date.now() - 1_000,
      } as const;
      await database.write((transaction) => transaction.insertInto('accepted_plans').values(accepted).execute());
      const charged = await report({ subscriptionId });
      expect(charged.body).toMatchObject({ unitPrice: '0.05', currency: 'EUR' });
      const wrong = await report({ subscriptionId, product: 'runs' });
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('these are: shots')]);
    });
  });
});
