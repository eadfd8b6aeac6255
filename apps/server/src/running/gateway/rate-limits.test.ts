import { expect, onTestFinished, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { deploy, startTestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

test.each([sqlite])('each application has its own limit on requests, on $name', async (kind) => {
  const platform = await startTestKethub(kind, { KETHUB_RATE_LIMIT_REQUESTS: '60' });
  onTestFinished(() => platform.close());
  const service = await deploy(platform.client, 'Limited', probe);
  const application = await platform.client.createApplication({ json: { name: 'another' } });
  await platform.client.subscribe({ applicationId: application.id, json: { serviceId: service.service.id } });
  const [key] = application.accessKeys;
  if (!key) throw new Error('An application without an access key');
  const secretAccessKey = (
    await platform.client.revealSecretAccessKey({ applicationId: application.id, keyId: key.id })
  ).secretAccessKey;

  const one = await callerOf(service);
  let last = await one.request('GET', '/');
  expect([last.status, last.headers.get('ratelimit-policy')]).toEqual([200, '"requests";q=60;w=60']);
  for (let round = 0; round < 1_000 && last.status === 200; round += 1) last = await one.request('GET', '/');
  expect(last.status).toBe(429);
  expect(last.headers.get('retry-after')).toBe('1');
  expect(last.body).toMatchObject({ type: `${platform.kethub.platform.addresses.problems}/too-many-requests` });
  const other = await callerOf({ ...service, application, accessKeyId: key.accessKeyId, secretAccessKey });
  expect((await other.request('GET', '/')).status).toBe(200);
});
