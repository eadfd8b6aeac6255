import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createPlatformClient } from '@kethub/client';
import type { Share } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import {
  deploy,
  startTestKethub,
  type DeployedService,
  type SignedIn,
  type TestKethub,
} from '@kethub/server/testing/kethub';
import { deployOnPremise, localTargets, startProvider } from '@kethub/server/testing/on-premise';

// Services that one user shares and others see and use. Each ket is a process of its own, against a whole platform.
vi.setConfig({ testTimeout: 120_000 });

let platform: TestKethub;
let home: string;
let owner: Record<string, string>;

beforeAll(async () => {
  platform = await startTestKethub(sqlite, localTargets);
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  owner = await environmentOf(platform);
});
afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true });
});

/** Variables with which ket acts as this user. */
async function environmentOf({ client }: Pick<SignedIn, 'client'>): Promise<Record<string, string>> {
  const { value } = await client.createAccessToken({ json: { name: 'ket' } });
  const url = new URL(platform.kethub.platform.addresses.api).origin;
  return { KETHUB_CONFIG_DIR: path.join(home, value ?? ''), KET_URL: url, KET_TOKEN: value ?? '' };
}

const as = (environment: Record<string, string>, args: readonly string[], input = '') =>
  ket(args, { folder: home, environment, input });

const program = (code: string) => ({ 'src/__init__.py': '', 'src/program.py': code });

describe('params that the caller leaves out', () => {
  const models = 'from dataclasses import dataclass\nfrom typing import TypedDict\n';
  test.each([
    ['an untyped parameter with a default', 'def run(data, params={"shots": 9}):\n    return params\n'],
    [
      'a dataclass of defaults',
      '@dataclass\nclass P:\n    shots: int = 9\ndef run(data, params: P):\n    return {"shots": params.shots}\n',
    ],
    ['code with defaults', 'def run(data, params):\n    return {"shots": params.get("shots", 9)}\n'],
    [
      'a typed dict',
      'class P(TypedDict, total=False):\n    shots: int\ndef run(data, params: P):\n    return {"shots": params.get("shots", 9)}\n',
    ],
  ])('%s', async (name, code) => {
    await deploy(platform.client, name, program(models + code));
    await writeFile(path.join(home, 'one.json'), '{}');
    for (const how of [[], ['--job']]) {
      const run = await as(owner, ['run', name, '--data', 'one.json', '--no-log', ...how]);
      expect(run.code, run.stderr).toBe(0);
      expect(JSON.parse(run.stdout)).toEqual({ shots: 9 });
    }
  });

  test('params that are missing in a whole input stay missing', async () => {
    const { code, stderr } = await as(owner, ['run', 'code with defaults', '--input', '-'], '{"data": {}}');
    // The platform refuses the input before anything runs.
    expect(code).toBe(7);
    expect(stderr).toContain('params');
  });
});

describe('a service that runs elsewhere', () => {
  const answers: [name: string, status: number, type: string, body: string | Buffer][] = [
    ['json', 200, 'application/json; charset=utf-8', '{"sent": 1.0, "big": 18446744073709551616}'],
    ['text', 201, 'text/plain', 'forty-two'],
    ['bytes', 200, 'image/png', Buffer.from([0x89, 0, 0xff])],
    ['teapot', 418, 'text/plain', 'short and stout'],
  ];
  let called: string[] = [];
  const provider = startProvider((request, response) => {
    const [, name = ''] = (request.url ?? '').split('/');
    const [, status = 404, type = 'text/plain', body = ''] = answers.find(([one]) => one === name) ?? [];
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        called.push(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
        response.writeHead(status, { 'content-type': type }).end(body);
      });
  });
  beforeAll(async () => {
    const { url } = await provider;
    for (const [name] of answers) await deployOnPremise(platform.client, name, { url: `${url}/${name}/` });
  });
  afterAll(async () => (await provider).close());
  const run = (name: string, ...args: string[]) => as(owner, ['run', name, '--input', '-', ...args], '{"data": 1}');

  test('gets the input as POST, and what it answers is printed', async () => {
    called = [];
    expect(await run('json')).toMatchObject({
      code: 0,
      stdout: '{\n  "sent": 1.0,\n  "big": 18446744073709551616\n}\n',
    });
    expect(called).toEqual(['POST /json/ {"data":1}']);
    expect(await run('text')).toMatchObject({ code: 0, stdout: 'forty-two' });
  });

  test('bytes are base64 in JSON', async () => {
    expect((await run('bytes', '--json')).json()).toMatchObject({ mediaType: 'image/png', base64: 'iQD/' });
    expect((await run('text', '--json')).json()).toMatchObject({ mediaType: 'text/plain', answer: 'forty-two' });
  });

  test('its own errors are shown in its words, and end with 1', async () => {
    const { code, stdout, stderr } = await run('teapot');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: The service at .* answered 418: short and stout$/m);
  });
});

describe('with others', () => {
  let bob: SignedIn;
  let other: Record<string, string>;
  let shared: DeployedService;
  beforeAll(async () => {
    bob = await platform.signIn('bob');
    other = await environmentOf(bob);
    await platform.signIn('bobby');
    shared = await deploy(platform.client, 'Shared', program('def run(data):\n    return {"got": data}\n'));
  });

  test.each([['bob Test'], ['test BOB'], ['Test, Bob']])('a service is shared with "%s"', async (name) => {
    const made = await as(owner, ['share', 'shared', '--user', name, '--json']);
    expect(made.code, made.stderr).toBe(0);
    const { id: recipient } = await bob.client.getMe();
    const share = made.json<Share>();
    expect(share.recipient).toEqual({ type: 'USER', id: recipient });
    await platform.client.deleteShare({ serviceId: shared.service.id, shareId: share.id });
  });

  test('a shared service is subscribed to by its first call', async () => {
    expect((await as(owner, ['share', 'shared', '--user', 'bob test'])).code).toBe(0);
    const run = await as(other, ['run', 'shared', '--input', '-', '--no-log'], '{"data": 7}');
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toEqual({ got: 7 });
    const [application] = await bob.client.listApplications();
    expect(await bob.client.listSubscriptions({ applicationId: application?.id ?? '' })).toMatchObject([
      { serviceName: 'Shared', basis: 'SHARE' },
    ]);
    const missing = await as(other, ['run', 'shared@9.0.0', '--input', '-'], '{}');
    expect(missing.code).toBe(4);
    expect(missing.stderr).toContain('ket run shared@9.0.0 --job');
  });
});

test('whoever may only look can use every command that lists, and these change nothing', async () => {
  const organization = await platform.client.createOrganization({ json: { name: 'Lab' } });
  const cy = await platform.signIn('cy');
  const invitation = await platform.client.invite({
    organizationId: organization.id,
    json: { email: 'cy@example.org', role: 'VIEWER' },
  });
  await cy.client.acceptInvitation({ invitationId: invitation.id });
  const viewer = { ...(await environmentOf(cy)), KET_ORGANIZATION: organization.id };
  const lists = [
    'services',
    'list',
    'whoami',
    'usage',
    'storage show',
    'datapool list',
    'marketplace search',
    'org list',
  ];
  for (const list of lists) {
    const { code, stderr } = await as(viewer, [...list.split(' '), '--json']);
    expect([list, code, stderr]).toEqual([list, 0, stderr]);
  }
  expect((await as(viewer, ['list', 'nothing', '--json'])).code).toBe(4);
  const there = createPlatformClient({
    baseUrl: platform.kethub.platform.addresses.api,
    credential: { loginSession: cy.loginSession },
    organizationId: organization.id,
  });
  expect(await there.listApplications()).toEqual([]);
  expect(await cy.client.listApplications()).toEqual([]);
});
