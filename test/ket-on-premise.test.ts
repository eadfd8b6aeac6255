import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Service, ServiceVersion } from '@kethub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

let platform: TestKethub;
let environment: Record<string, string>;
let folder: string;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  folder = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  const { value } = await platform.client.createAccessToken({ json: { name: 'ket' } });
  const url = new URL(platform.kethub.platform.addresses.api).origin;
  environment = { KETHUB_CONFIG_DIR: folder, KET_URL: url, KET_TOKEN: value ?? '' };
});
afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true });
});

const onPremise = (args: readonly string[], input = '') =>
  ket(['on-premise', ...args, '--json'], { folder, environment, input });

test('a service that runs elsewhere is published, its draft changed, and its next version made', async () => {
  const credentials = ['--user', 'gate', '--password-stdin', '--timeout', '5'];
  const first = await onPremise(['Annealer', 'https://one.example.org/', ...credentials], 'battery\n');
  expect(first.code).toBe(0);
  expect(first.stdout + first.stderr).not.toContain('battery');
  const { service, version } = first.json() as { service: Service; version: ServiceVersion };
  expect(version).toMatchObject({
    version: '1.0.0',
    state: 'PUBLISHED',
    target: { timeoutSeconds: 5, hasCredentials: true },
  });
  const [application] = await platform.client.listApplications();
  const subscriptions = await platform.client.listSubscriptions({ applicationId: application?.id ?? '' });
  expect(subscriptions).toMatchObject([{ serviceId: service.id, endpoint: version.endpoint }]);
  expect((await onPremise(['Annealer', 'https://two.example.org/', '--no-publish'])).code).toBe(0);
  expect((await onPremise(['Annealer', 'https://three.example.org/', '--description', 'Cold'])).code).toBe(0);
  expect(await platform.client.getService({ serviceId: service.id })).toMatchObject({
    description: 'Cold',
    versions: [
      { version: '1.1.0', state: 'PUBLISHED', target: { url: 'https://three.example.org/', hasCredentials: false } },
      { version: '1.0.0', state: 'PUBLISHED' },
    ],
  });
});

test.each([
  ['a user without a password', ['X', 'https://one.example.org/', '--user', 'gate'], 2],
  ['no time', ['X', 'https://one.example.org/', '--timeout', '0'], 2],
  ['an address that the installation refuses', ['X', 'https://127.0.0.1/'], 7],
])('%s is refused', async (_what, args, code) => {
  expect((await onPremise(args)).code).toBe(code);
  expect((await platform.client.listServices()).filter(({ name }) => name === 'X')).toEqual([]);
});
