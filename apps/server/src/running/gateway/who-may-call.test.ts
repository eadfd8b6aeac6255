import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerOf, member, requestToken, type Caller } from '../../testing/gateway.ts';
import { installations } from '../../testing/installations.ts';
import { deploy, type DeployedService, type TestInstallation } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { createBearers } from './bearer.ts';
import { gatewayKeys } from './signing-key.ts';

/** Allows for a busy machine. */
const patient = { timeout: 20_000 };

describe.each(installations())('who may call, at $name', ({ start }) => {
  let platform: TestInstallation;
  let service: DeployedService;
  let app: Caller;
  beforeAll(async () => {
    platform = await start({ KETHUB_MAX_CONCURRENT_EXECUTIONS: '2' });
    service = await deploy(platform.client, 'Probe', probe);
    app = await callerOf(service, platform);
  });
  afterAll(() => platform.close());

  describe('POST {gateway_url}/token', () => {
    const credentials = () => `${service.accessKeyId}:${service.secretAccessKey}`;

    test('grants a bearer token for the access key pair, with one slash, two or three', async () => {
      for (const slashes of ['', '/', '//']) {
        const answer = await requestToken(platform.at(service.application.tokenEndpoint) + slashes, credentials());
        expect(answer.status).toBe(200);
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(answer.body).toEqual({
          access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
          scope: 'default',
          token_type: 'Bearer',
          expires_in: 3600,
        });
      }
    });

    test.each([
      ['a wrong secret', () => `${service.accessKeyId}:ket_sk_wrong`],
      ['an unknown key', () => `ket_ak_unknown:${service.secretAccessKey}`],
      ['no colon', () => 'nothing'],
    ])('answers 401 invalid_client with a challenge to %s', async (_what, wrong) => {
      const answer = await requestToken(platform.at(service.application.tokenEndpoint), wrong());
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
      expect(answer.body).toMatchObject({ error: 'invalid_client' });
    });

    test.each([
      ['unsupported_grant_type', 'grant_type=password'],
      ['invalid_request', ''],
      ['invalid_request', 'grant_type=client_credentials&grant_type=client_credentials'],
      ['invalid_request', 'grant_type=client_credentials&x=K%F6ln'],
    ])('answers 400 %s to the body %j', async (error, body) => {
      const answer = await requestToken(platform.at(service.application.tokenEndpoint), credentials(), body);
      expect([answer.status, member(answer.body, 'error')]).toEqual([400, error]);
    });
  });

  describe('who may call', () => {
    test.each([
      ['no bearer', ''],
      ['another scheme', 'Basic abc'],
      ['a forged bearer', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
    ])('answers 401 with a challenge to %s', async (_what, authorization) => {
      const answer = await app.request('GET', '/', { headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    });

    test('answers 401 to a bearer whose signature was changed', async () => {
      const [head, body, signature = ''] = app.bearer.split('.');
      const changed = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
      const answer = await app.request('GET', '/', {
        headers: { authorization: `Bearer ${head}.${body}.${changed}` },
      });
      expect(answer.status).toBe(401);
    });

    test('answers 401 to a bearer that has expired, and 200 to one that is about to', async () => {
      const { platform: inside } = platform;
      const keys = await gatewayKeys(inside);
      await keys.close();
      const bearers = createBearers(keys, inside.addresses.gateway, inside.newId);
      const madeAgo = (seconds: number): string =>
        bearers.issue(service.application.id, service.accessKeyId, Date.now() - seconds * 1000);
      const statusWith = async (bearer: string): Promise<number> =>
        (await app.request('GET', '/', { headers: { authorization: `Bearer ${bearer}` } })).status;
      expect(await statusWith(madeAgo(3_000))).toBe(200);
      expect(await statusWith(madeAgo(3_601))).toBe(401);
    });

    test('answers 404 for the service and the execution of somebody else, and 403 for an own one without subscription', async () => {
      const { client } = await platform.signIn('grace');
      const foreign = await callerOf(await deploy(client, 'Foreign', probe), platform);
      const elsewhere = { headers: { authorization: `Bearer ${foreign.bearer}` } };
      expect((await app.request('GET', '/', elsewhere)).status).toBe(404);

      const other = await platform.client.createApplication({ json: { name: 'Without subscription' } });
      const secret = (
        await platform.client.revealSecretAccessKey({ applicationId: other.id, keyId: other.accessKeys[0]?.id ?? '' })
      ).secretAccessKey;
      const token = await requestToken(
        platform.at(other.tokenEndpoint),
        `${other.accessKeys[0]?.accessKeyId}:${secret}`,
      );
      const bearer = member(token.body, 'access_token');
      const unsubscribed = await app.request('GET', '/', { headers: { authorization: `Bearer ${bearer}` } });
      expect(unsubscribed.status).toBe(403);

      const { id } = await app.start({});
      const subscription = await platform.client.subscribe({
        applicationId: other.id,
        json: { serviceId: service.service.id },
      });
      const second = await app.request('GET', `/${id}`, { headers: { authorization: `Bearer ${bearer}` } });
      expect([subscription.endpoint, second.status]).toEqual([`${service.endpoint}/`, 404]);
    });

    test('a cancelled subscription, a rotated secret and a deleted application end by themselves', async () => {
      const mine = await deploy(platform.client, 'Leaving', probe);
      const leaving = await callerOf(mine, platform);
      await platform.client.unsubscribe({ applicationId: mine.application.id, subscriptionId: mine.subscription.id });
      await expect.poll(async () => (await leaving.request('GET', '/')).status, patient).toBe(403);
      await platform.client.subscribe({ applicationId: mine.application.id, json: { serviceId: mine.service.id } });
      await expect.poll(async () => (await leaving.request('GET', '/')).status, patient).toBe(200);
      await platform.client.rotateAccessKey({ applicationId: mine.application.id, json: { overlapSeconds: 0 } });
      await expect.poll(async () => (await leaving.request('GET', '/')).status, patient).toBe(401);
      await platform.client.deleteApplication({ applicationId: mine.application.id });
      const credentials = `${mine.accessKeyId}:${mine.secretAccessKey}`;
      const statusOfToken = async () =>
        (await requestToken(platform.at(mine.application.tokenEndpoint), credentials)).status;
      await expect.poll(statusOfToken, patient).toBe(401);
    });
  });
});
