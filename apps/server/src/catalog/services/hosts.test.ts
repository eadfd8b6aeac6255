import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { freePlan, listing } from '../../testing/marketplace.ts';

const program = `
import urllib.error
import urllib.request


def run(url):
    try:
        return {"body": urllib.request.urlopen(url, timeout=30).read().decode()}
    except urllib.error.HTTPError as error:
        return {"refused": error.code}
`;

describe.each(databases())('hosts that a version calls, on $name', (kind) => {
  let kethub: TestKethub;
  let server: Server;
  let service: Service;
  let hosts: string[];
  let app: Caller;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_SERVICE_NETWORKS: '127.0.0.2/32' });
    server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.2');
    await new Promise((resolve) => server.once('listening', resolve));
    hosts = [`127.0.0.2:${(server.address() as AddressInfo).port}`, 'api.example.org'];
    ({ service } = await build(kethub.client, 'Caller', { 'src/__init__.py': '', 'src/program.py': program }));
  });
  afterAll(async () => {
    await kethub.close();
    server.close();
  });

  test.each([
    ['https://api.example.org', '/hosts/1'],
    ['API.example.org', '/hosts/1'],
    ['*.example.org', '/hosts/1'],
    ['api.example.org/path', '/hosts/1'],
    ['user@api.example.org', '/hosts/1'],
    ['api.example.org:0', '/hosts/1'],
    ['api.example.org:65536', '/hosts/1'],
    ['[::1]:443', '/hosts/1'],
  ])('%s is no host: 400 that names the pointer', async (host, pointer) => {
    await expect(
      kethub.client.configureServiceVersion({
        serviceId: service.id,
        version: '1.0.0',
        json: { hosts: ['good.org', host] },
      }),
    ).rejects.toMatchObject({
      status: 400,
      errors: [{ pointer }],
    });
  });

  test('are shown to whoever may subscribe, and to who has subscribed', async () => {
    const grace = await kethub.signIn('grace');
    await kethub.client.configureServiceVersion({ serviceId: service.id, version: '1.0.0', json: { hosts } });
    await kethub.client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await kethub.client.publishListing({ serviceId: service.id, json: listing({ pricingPlans: [freePlan] }) });
    expect(await grace.client.getMarketplaceService({ serviceId: service.id })).toMatchObject({ hosts });
    const me = await grace.client.getMe();
    await kethub.client.createShare({ serviceId: service.id, json: { recipient: { type: 'USER', id: me.id } } });
    const [shared] = await grace.client.listSharedServices();
    expect(shared?.versions).toMatchObject([{ hosts }]);
    const application = await kethub.client.createApplication({ json: { name: 'caller' } });
    const subscription = await kethub.client.subscribe({ applicationId: application.id, json: { serviceId: service.id } });
    expect(subscription).toMatchObject({ hosts });
    expect(await kethub.client.listSubscriptions({ applicationId: application.id })).toMatchObject([{ hosts }]);
    const [key] = application.accessKeys;
    const secretAccessKey = (await kethub.client.revealSecretAccessKey({ applicationId: application.id, keyId: key?.id ?? '' })).secretAccessKey;
    const endpoint = subscription.endpoint.replace(/\/$/, '');
    app = await callerOf({ service, application, subscription, endpoint, accessKeyId: key?.accessKeyId ?? '', secretAccessKey });
  }); // prettier-ignore

  test('are what executions reach; everything else is refused, and in the log', async () => {
    const reached = await app.finish({ url: `http://${hosts[0]}/` });
    expect((await app.request('GET', `/${reached.id}/result`)).body).toMatchObject({ body: 'hello' });
    const refused = await app.finish({ url: `http://127.0.0.2:9/` });
    expect((await app.request('GET', `/${refused.id}/result`)).body).toMatchObject({ refused: 403 });
    expect((await app.request('GET', `/${refused.id}/log`)).text).toContain('A connection to 127.0.0.2:9 was refused');
  }); // prettier-ignore
});
