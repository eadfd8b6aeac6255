import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import {
  deploy,
  startTestKethub,
  type DeployedService,
  type SignedIn,
  type TestKethub,
} from '@kethub/server/testing/kethub';

const run = promisify(execFile);
const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-client-'));
const code = {
  'src/__init__.py': '',
  'src/program.py': [
    'from kethub import DataPool',
    'def run(pool: DataPool):',
    '    read = pool.open("a.csv").read()',
    '    try:',
    '        pool.open("b.csv", "w").write(read + " again")',
    '    except OSError:',
    '        return {"read": read}',
    '    return {"read": read, "wrote": True}',
    '',
  ].join('\n'),
};
let platform: TestKethub;
let service: DeployedService;
let bob: SignedIn;
let environment: Record<string, string>;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  service = await deploy(platform.client, 'Reader', code);
  bob = await platform.signIn('bob');
  const application = await platform.client.createApplication({ json: { name: 'Notebook' } });
  environment = {
    BASE_URL: `${platform.platform.addresses.api}/qc-catalog`,
    ACCESS_TOKEN: await tokenOf(platform),
    OTHER: (await bob.client.getMe()).id,
    APPLICATION: application.id,
    SERVICE: service.service.id,
  };
});
afterAll(async () => {
  await platform.close();
  rmSync(folder, { recursive: true });
});

async function tokenOf({ client }: Pick<SignedIn, 'client'>): Promise<string> {
  return (await client.createAccessToken({ json: { name: 'notebook' } })).value ?? '';
}

async function install(...packages: string[]): Promise<string> {
  const target = path.join(folder, packages.join('-'));
  const options = ['--quiet', '--disable-pip-version-check', '--root-user-action', 'ignore'];
  await run('/usr/bin/python3', ['-m', 'pip', 'install', ...options, '--target', target, ...packages]);
  return target;
}

async function python(script: string, PYTHONPATH: string, more: Readonly<Record<string, string>> = {}) {
  const file = path.join(import.meta.dirname, 'published-api', script);
  const { stdout } = await run('/usr/bin/python3', [file], { env: { ...environment, ...more, PYTHONPATH } });
  return JSON.parse(stdout) as unknown;
}

test.each(['1.17.0', '3.3.0'])(
  'the client library qhub-api %s from PyPI, unmodified: 17 operations',
  async (version) => {
    expect(await python('use.py', await install(`qhub-api==${version}`))).toEqual({
      created: ['Measured', 'short', ['ising', 'qpu'], 'OWNER'],
      changed: ['Measured anew', 'short', 'long', ['ising', 'qpu']],
      got: 'Measured anew',
      listed: ['Measured anew'],
      added: ['a.csv', 'text/csv', 4, true],
      replaced: true,
      files: ['a.csv', 'b.bin'],
      content: '3,4\n',
      left: ['a.csv'],
      promoted: 'MAINTAINER',
      shared: true,
      unshared: [],
      grant: 3,
      subscription: ['Reader', '1.0.0', `${service.endpoint}/`, 'Notebook'],
      ended: 404,
      deleted: 404,
    });
  },
);

describe('pool grants', () => {
  let pool: string;
  beforeAll(async () => {
    pool = (await bob.client.createDataPool({ json: { name: 'Of Bob' } })).id;
    await bob.client.uploadDataPoolFile({ dataPoolId: pool, name: 'a.csv', body: new Blob(['bob']) });
  });

  const grant = async (who: SignedIn, body: object): Promise<Response> =>
    fetch(`${platform.platform.addresses.api}/qc-catalog/datapools/${pool}/grants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.loginSession}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const tokenFor = async (applicationId: string): Promise<string> => {
    const answer = await grant(bob, { applicationId, permission: 'VIEW' });
    return ((await answer.json()) as { token: string }).token;
  };
  const start = async (reference: object): Promise<Response> => {
    const credentials = btoa(`${service.accessKeyId}:${service.secretAccessKey}`);
    const answer = await fetch(service.application.tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    return fetch(`${service.endpoint}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ pool: { id: pool, ref: 'DATAPOOL', ...reference } }),
    });
  };

  test('run(grants=...) of qhub-service from PyPI: an application reads a pool of somebody else', async () => {
    const result = await python('grants.py', await install('qhub-service==2.0.0'), {
      ENDPOINT: service.endpoint,
      TOKEN_ENDPOINT: service.application.tokenEndpoint,
      ACCESS_KEY_ID: service.accessKeyId,
      SECRET_ACCESS_KEY: service.secretAccessKey,
      ACCESS_TOKEN: await tokenOf(bob),
      APPLICATION: service.application.id,
      POOL: pool,
    });
    expect(result).toEqual(['SUCCEEDED', { read: 'bob' }]);
  });

  test('with MODIFY the application changes it, unseen until the execution has succeeded', async () => {
    const result = await python('grants.py', await install('qhub-service==2.0.0'), {
      ENDPOINT: service.endpoint,
      TOKEN_ENDPOINT: service.application.tokenEndpoint,
      ACCESS_KEY_ID: service.accessKeyId,
      SECRET_ACCESS_KEY: service.secretAccessKey,
      ACCESS_TOKEN: await tokenOf(bob),
      APPLICATION: service.application.id,
      POOL: pool,
      PERMISSION: 'MODIFY',
    });
    expect(result).toEqual(['SUCCEEDED', { read: 'bob', wrote: true }]);
    const written = await fetch(`${platform.platform.addresses.api}/data-pools/${pool}/files/b.csv`, {
      headers: { authorization: `Bearer ${bob.loginSession}` },
    });
    expect(await written.text()).toBe('bob again');
  });

  test('nobody grants what they may not do themselves', async () => {
    const ada = { client: platform.client, loginSession: platform.loginSession };
    const wanted = { applicationId: service.application.id, permission: 'VIEW' };
    expect((await grant(ada, wanted)).status).toBe(404);
    await bob.client.putDataPoolMember({
      dataPoolId: pool,
      memberType: 'USER',
      memberId: (await platform.client.getMe()).id,
      json: { role: 'VIEWER' },
    });
    expect((await grant(ada, wanted)).status).toBe(200);
    expect((await grant(ada, { ...wanted, permission: 'MODIFY' })).status).toBe(403);
    await bob.client.removeDataPoolMember({
      dataPoolId: pool,
      memberType: 'USER',
      memberId: (await platform.client.getMe()).id,
    });
  });

  test('a grant for an organization ends with the membership of who made it', async () => {
    const lab = await bob.client.createOrganization({ json: { name: 'Lab' } });
    const cy = await platform.signIn('cy');
    const invitation = await bob.client.invite({
      organizationId: lab.id,
      json: { email: 'cy@example.org', role: 'VIEWER' },
    });
    await cy.client.acceptInvitation({ invitationId: invitation.id });
    const api = platform.platform.addresses.api;
    const inLab = (who: SignedIn) => ({
      authorization: `Bearer ${who.loginSession}`,
      'content-type': 'application/json',
      'x-organizationid': lab.id,
    });
    const made = await fetch(`${api}/qc-catalog/datapools`, {
      method: 'POST',
      headers: inLab(bob),
      body: JSON.stringify({ name: 'Of the lab' }),
    });
    const { id } = (await made.json()) as { id: string };
    const answer = await fetch(`${api}/qc-catalog/datapools/${id}/grants`, {
      method: 'POST',
      headers: inLab(cy),
      body: JSON.stringify({ applicationId: service.application.id, permission: 'VIEW' }),
    });
    const { token } = (await answer.json()) as { token: string };
    expect((await start({ id, grant: token })).status).toBe(201);
    await cy.client.leaveOrganization({ organizationId: lab.id });
    expect((await start({ id, grant: token })).status).toBe(403);
  });

  test('a grant holds for its application and pool only, for its time, and while its maker has the right', async () => {
    const token = await tokenFor(service.application.id);
    expect((await start({})).status).toBe(403);
    expect((await start({ grant: token })).status).toBe(201);
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3_600);
    const forged = Buffer.from(JSON.stringify({ ...claims, exp: 9e9 })).toString('base64url');
    const wrong: unknown[] = [
      await tokenFor('019a7c3e-5b0d-7c4e-9a51-0f6d2b8f4c11'),
      `${header}.${forged}.${signature}`,
      `${header}.${payload}.${'é'.repeat(signature?.length ?? 0)}`,
      `${token}.more`,
      '',
      7,
    ];
    for (const grant of wrong) expect([grant, (await start({ grant })).status]).toEqual([grant, 400]);
    const { database } = platform.platform;
    const blocked = { user_id: (await bob.client.getMe()).id, blocked_at: 1 };
    await database.write((transaction) => transaction.insertInto('blocked_users').values(blocked).execute());
    expect((await start({ grant: token })).status).toBe(403);
    await database.write((transaction) => transaction.deleteFrom('blocked_users').execute());
    expect((await start({ grant: token })).status).toBe(201);
    const other = (await bob.client.createDataPool({ json: { name: 'Another' } })).id;
    expect((await start({ grant: token, id: other })).status).toBe(400);
    await bob.client.deleteDataPool({ dataPoolId: pool });
    expect((await start({ grant: token })).status).toBe(403);
  });
});
