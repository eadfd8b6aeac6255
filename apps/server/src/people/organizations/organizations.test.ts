import type { Application, AuditEntry, Invitation, MemberRole, Organization, Service } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { build, deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { callerOf } from '../../testing/gateway.ts';

describe.each(databases())('organizations on $name', (kind) => {
  let kethub: TestKethub;
  const sessions = new Map<string, string>();
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    sessions.set('ada', kethub.loginSession);
    for (const name of ['grace', 'alan']) sessions.set(name, (await kethub.signIn(name)).loginSession);
  });
  afterAll(() => kethub.close());

  async function call(who: string, method: string, path: string, body?: object, organizationId?: string) {
    const response = await fetch(kethub.kethub.platform.addresses.api + path, {
      method,
      headers: {
        authorization: `Bearer ${sessions.get(who)}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(organizationId && { 'x-organizationid': organizationId }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }
  const idOf = async (who: string) => ((await call(who, 'GET', '/me')).body as { id: string }).id;
  async function organization(name: string): Promise<string> {
    const { status, body } = await call('ada', 'POST', '/organizations', { name });
    expect(status).toBe(201);
    return (body as Organization).id;
  }
  async function add(organizationId: string, who: string, role: MemberRole): Promise<void> {
    const invited = await call('ada', 'POST', `/organizations/${organizationId}/invitations`, {
      email: `${who.toUpperCase()}@example.org`,
      role,
    });
    expect(invited.status).toBe(201);
    const { id } = invited.body as Invitation;
    expect(await call(who, 'POST', `/invitations/${id}/acceptance`)).toMatchObject({ status: 200, body: { role } });
  }

  test('invited by e-mail, a person joins with the role of the invitation, once', async () => {
    const id = await organization('Quantum Lab');
    const { body } = await call('ada', 'POST', `/organizations/${id}/invitations`, {
      email: 'grace@example.org',
      role: 'MAINTAINER',
    });
    const invitation = body as Invitation;
    expect((await call('grace', 'GET', '/invitations')).body).toEqual([invitation]);
    // An invitation to another address is not found.
    expect((await call('alan', 'POST', `/invitations/${invitation.id}/acceptance`)).status).toBe(404);
    expect((await call('alan', 'DELETE', `/invitations/${invitation.id}`)).status).toBe(404);
    const joined = await call('grace', 'POST', `/invitations/${invitation.id}/acceptance`);
    expect(joined.body).toMatchObject({ id, name: 'Quantum Lab', role: 'MAINTAINER' });
    expect((await call('grace', 'POST', `/invitations/${invitation.id}/acceptance`)).status).toBe(404);
    expect((await call('grace', 'GET', '/organizations')).body).toMatchObject([{ id, role: 'MAINTAINER' }]);
    expect((await call('grace', 'GET', `/organizations/${id}/members`)).body).toMatchObject([
      { userId: await idOf('ada'), role: 'OWNER' },
      { userId: await idOf('grace'), role: 'MAINTAINER' },
    ]);
  });

  test('an address that is not verified proves nothing: its invitations are not shown', async () => {
    const id = await organization('Unverified');
    await call('ada', 'POST', `/organizations/${id}/invitations`, { email: 'mallory@example.org', role: 'OWNER' });
    await kethub.signIn('mallory2').then(({ loginSession }) => sessions.set('mallory', loginSession));
    await kethub.kethub.platform.database.write((transaction) =>
      transaction
        .updateTable('identities')
        .set({ email: 'mallory@example.org', email_verified: 0 })
        .where('username', '=', 'mallory2')
        .execute(),
    );
    expect((await call('mallory', 'GET', '/invitations')).status).toBe(403);
  });

  test('the last owner can neither leave, nor be removed, nor step down', async () => {
    const id = await organization('Owned');
    await add(id, 'grace', 'VIEWER');
    const ada = await idOf('ada');
    for (const [method, path, body] of [
      ['DELETE', `/organizations/${id}/membership`],
      ['DELETE', `/organizations/${id}/members/${ada}`],
      ['PUT', `/organizations/${id}/members/${ada}`, { role: 'VIEWER' }],
    ] as const) {
      expect(await call('ada', method, path, body)).toMatchObject({ status: 409 });
    }
    await call('ada', 'PUT', `/organizations/${id}/members/${await idOf('grace')}`, { role: 'OWNER' });
    expect((await call('ada', 'DELETE', `/organizations/${id}/membership`)).status).toBe(204);
    expect((await call('ada', 'GET', `/organizations/${id}`)).status).toBe(404);
  });

  test('of two owners who leave at the same moment one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await organization(`Race ${round}`);
      await add(id, 'grace', 'OWNER');
      const left = await Promise.all(
        ['ada', 'grace'].map((who) => call(who, 'DELETE', `/organizations/${id}/membership`)),
      );
      expect(left.map(({ status }) => String(status)).toSorted()).toEqual(['204', '409']);
    }
  });

  test('whoever is the last owner cannot delete their account; of two owners who do at the same moment one stays', async () => {
    const id = await organization('Orphans');
    for (const name of ['kurt', 'emmy']) sessions.set(name, (await kethub.signIn(name)).loginSession);
    await add(id, 'kurt', 'OWNER');
    await add(id, 'emmy', 'OWNER');
    expect((await call('ada', 'DELETE', `/organizations/${id}/membership`)).status).toBe(204);
    const left = await Promise.all(['kurt', 'emmy'].map((who) => call(who, 'DELETE', '/me')));
    expect(left.map(({ status }) => String(status)).toSorted()).toEqual(['204', '400']);
    const stays = left[0]?.status === 400 ? 'kurt' : 'emmy';
    expect((await call(stays, 'GET', `/organizations/${id}/members`)).body).toMatchObject([{ role: 'OWNER' }]);
    expect(left.find(({ status }) => status === 400)?.body).toMatchObject({
      detail: expect.stringContaining('Orphans') as string,
    });
  });

  test('what an organization owns is seen by its members only, and in its context only', async () => {
    const id = await organization('Context');
    await add(id, 'grace', 'VIEWER');
    const { body } = await call('ada', 'POST', '/applications', { name: 'shared' }, id);
    const application = body as Application;
    expect(application.owner).toEqual({ type: 'ORGANIZATION', id });
    expect((await call('grace', 'GET', '/applications', undefined, id)).body).toMatchObject([{ id: application.id }]);
    expect((await call('ada', 'GET', `/applications/${application.id}`)).status).toBe(404);
    expect((await call('alan', 'GET', '/applications', undefined, id)).status).toBe(403);
    expect((await call('ada', 'GET', '/applications', undefined, 'nonsense')).status).toBe(403);
  });

  test('an organization that owns something is not deleted', async () => {
    const id = await organization('Full');
    const { body } = await call('ada', 'POST', '/applications', { name: 'in the way' }, id);
    const refused = await call('ada', 'DELETE', `/organizations/${id}`);
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('in the way') as string } });
    await call('ada', 'DELETE', `/applications/${(body as Application).id}`, undefined, id);
    expect((await call('ada', 'DELETE', `/organizations/${id}`)).status).toBe(204);
  });

  test('a service and its caller move to an organization; the address that was handed out goes on answering', async () => {
    const id = await organization('Movers');
    const project = { 'src/__init__.py': '', 'src/program.py': 'def run():\n    return {"moved": True}\n' };
    const deployed = await deploy(kethub.client, 'Moving', project);
    const { service, application, endpoint } = deployed;
    const { bearer } = await callerOf(deployed);
    const list = async (address: string) =>
      (await fetch(`${address}/`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    expect(await list(endpoint)).toBe(200);
    const to = { type: 'ORGANIZATION', id };
    const moved = await call('ada', 'PUT', `/services/${service.id}/owner`, to);
    expect(moved).toMatchObject({ status: 200, body: { owner: to } });
    // INTERNAL means within one owner, so the application of the former owner loses access.
    expect(await untilStatus(() => list(endpoint), 404)).toBe(404);
    expect((await call('ada', 'PUT', `/applications/${application.id}/owner`, to)).status).toBe(200);
    expect(await list(endpoint)).toBe(200);
    const { versions } = moved.body as Service;
    expect(await list((versions[0]?.endpoint ?? '').replace(/\/$/, ''))).toBe(200);
    // The former address cannot be reused while subscribers may call it.
    await expect(build(kethub.client, 'Moving', project)).rejects.toMatchObject({ status: 409 });
    const entries = (await call('ada', 'GET', '/audit-log', undefined, id)).body as AuditEntry[];
    expect(entries.map((entry) => [entry.action, entry.resourceId])).toEqual([
      ['application:transfer', application.id],
      ['service:transfer', service.id],
      ['organization:create', id],
    ]);
  });

  test('nothing is given to somebody who has not asked for it', async () => {
    const { body } = await call('ada', 'POST', '/applications', { name: 'gift' });
    const { id } = body as Application;
    const foreign = await call('grace', 'POST', '/organizations', { name: 'Foreign' });
    for (const to of [
      { type: 'USER', id: await idOf('grace') },
      { type: 'ORGANIZATION', id: (foreign.body as Organization).id },
    ]) {
      expect((await call('ada', 'PUT', `/applications/${id}/owner`, to)).status).toBe(403);
    }
  });

  test('the audit log shows owners who changed what, and no secrets', async () => {
    const id = await organization('Audited');
    const { body } = await call('ada', 'POST', '/applications', { name: 'watched' }, id);
    const application = body as Application;
    await call('ada', 'POST', `/applications/${application.id}/access-keys`, { overlapSeconds: 60 }, id);
    await add(id, 'grace', 'MAINTAINER');
    const log = await call('ada', 'GET', '/audit-log', undefined, id);
    const entries = log.body as AuditEntry[];
    expect(entries.map(({ action }) => action)).toEqual([
      'organization:join',
      'invitation:create',
      'access-key:rotate',
      'application:create',
      'organization:create',
    ]);
    expect(entries.map(({ actorId }) => actorId)).toEqual([
      await idOf('grace'),
      ...Array<string>(4).fill(await idOf('ada')),
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/ket_sk_|example\.org/);
    expect((await call('grace', 'GET', '/audit-log', undefined, id)).status).toBe(403);
  });
});

/**
 * Repeats a request until it answers with this status. A change is visible within a second, later on a busy machine.
 */
async function untilStatus(ask: () => Promise<number>, wanted: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const status = await ask();
    if (status === wanted) return status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ask();
}
