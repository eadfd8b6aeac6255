import type { Implementation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

describe.each(databases())('implementations on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  let ben: PoolUser;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    ada = await poolUser(kethub, kethub.loginSession);
    ben = await poolUser(kethub, (await kethub.signIn('ben')).loginSession);
  });
  afterAll(() => kethub.close());

  async function create(user: PoolUser, body: object, organizationId = ''): Promise<Implementation> {
    const answer = await user.call('POST', '/implementations', { body, organizationId });
    expect(answer.status).toBe(201);
    return answer.body as Implementation;
  }

  test('is private and empty at first, with the address of its owner', async () => {
    const made = await create(ada, { name: 'first', description: 'One' });
    expect(made).toMatchObject({
      name: 'first',
      visibility: 'PRIVATE',
      role: 'OWNER',
      owner: { type: 'USER', id: ada.id },
      cloneUrl: `${kethub.platform.addresses.git}/${ada.id}/first.git`,
      defaultBranch: 'main',
      head: null,
      buildable: null,
      bytes: 0,
    });
    expect((await ada.call('GET', `/implementations/${made.id}`)).body).toEqual(made);
    expect((await ben.call('GET', `/implementations/${made.id}`)).status).toBe(404);
    expect((await ben.call('PATCH', `/implementations/${made.id}`, { body: { description: 'x' } })).status).toBe(404);
  });

  test.each(['Upper', '-dash', 'a..b', 'x.git', 'x.lock', 'a/b', '.hidden', 'dot.', ''])(
    'refuses the name %j',
    async (name) => {
      expect((await ada.call('POST', '/implementations', { body: { name } })).status).toBe(400);
    },
  );

  test.each(['-x', 'a..b', 'a b', 'x.lock', 'a//b', '/a', 'a/', 'a~1', 'a:b', 'a\u0000b'])(
    'refuses the default branch %j',
    async (defaultBranch) => {
      expect((await ada.call('POST', '/implementations', { body: { name: 'branchy', defaultBranch } })).status).toBe(
        400,
      );
    },
  );

  test('keeps a former name for itself until it is released', async () => {
    const made = await create(ada, { name: 'old-name' });
    const path = `/implementations/${made.id}`;
    expect((await ada.call('POST', '/implementations', { body: { name: 'old-name' } })).status).toBe(409);
    const renamed = (await ada.call('PATCH', path, { body: { name: 'new-name' } })).body as Implementation;
    expect(renamed.formerUrls).toEqual([made.cloneUrl]);
    expect((await ada.call('POST', '/implementations', { body: { name: 'old-name' } })).status).toBe(409);
    expect((await ada.call('DELETE', `${path}/addresses/${ada.id}/new-name`)).status).toBe(409);
    expect((await ada.call('DELETE', `${path}/addresses/${ada.id}/old-name`)).status).toBe(204);
    await create(ada, { name: 'old-name' });
  });

  test('members have their role, and a stranger reads only what is public', async () => {
    const { id } = await create(ada, { name: 'shared' });
    const path = `/implementations/${id}`;
    const member = `${path}/members/USER/${ben.id}`;
    expect((await ada.call('PUT', member, { body: { role: 'VIEWER' } })).status).toBe(201);
    expect((await ben.call('GET', path)).body).toMatchObject({ role: 'VIEWER' });
    expect((await ben.call('GET', '/implementations')).body).toEqual([expect.objectContaining({ id })]);
    expect((await ben.call('DELETE', path)).status).toBe(403);
    expect((await ben.call('GET', `${path}/members`)).status).toBe(403);
    expect((await ben.call('DELETE', `${path}/membership`)).status).toBe(204);
    expect((await ben.call('GET', path)).status).toBe(404);
    await ada.call('PATCH', path, { body: { visibility: 'PUBLIC', description: 'Solves 50% of it' } });
    expect((await ben.call('GET', path)).body).toMatchObject({ role: 'VIEWER' });
    expect((await ben.call('GET', `${path}/members`)).status).toBe(403);
    const found = async (q: string) => (await ben.call('GET', `/implementations/public?q=${q}`)).body as unknown[];
    expect(await found('SOLVES%2050%25')).toHaveLength(1);
    expect(await found('50_')).toHaveLength(0);
  });

  test('If-Match refuses a change of what has changed meanwhile', async () => {
    const { id } = await create(ada, { name: 'tagged' });
    const { headers } = await ada.call('GET', `/implementations/${id}`);
    const change = (ifMatch: string) =>
      ada.call('PATCH', `/implementations/${id}`, { body: { description: ifMatch }, headers: { 'if-match': ifMatch } });
    const tag = headers.get('etag') ?? '';
    expect((await change(tag)).status).toBe(200);
    expect((await change(tag)).status).toBe(412);
  });

  test('moves to an organization with its former address, and keeps it from being deleted', async () => {
    const lab = await ada.organization('Lab');
    const made = await create(ada, { name: 'moving' });
    const to = { type: 'ORGANIZATION', id: lab };
    const moved = await ada.call('PUT', `/implementations/${made.id}/owner`, { body: to });
    expect(moved.status).toBe(200);
    const inside = await ada.call('GET', `/implementations/${made.id}`, { organizationId: lab });
    expect(inside.body).toMatchObject({ owner: to, formerUrls: [made.cloneUrl] });
    // Its former owner learns where it is; nobody else learns that it exists.
    const before = await ada.call('GET', `/implementations/${made.id}`);
    expect(before.status).toBe(404);
    expect(before.body).toMatchObject({ detail: expect.stringContaining(`the organization Lab (${lab})`) });
    const stranger = await ben.call('GET', `/implementations/${made.id}`);
    const none = '01980000-0000-7000-8000-000000000000';
    const unknown = await ben.call('GET', `/implementations/${none}`);
    expect(JSON.stringify(stranger.body).replaceAll(made.id, none)).toBe(JSON.stringify(unknown.body));
    const another = await ada.organization('Another');
    expect((await ada.call('GET', `/implementations/${made.id}`, { organizationId: another })).body).toMatchObject({
      detail: expect.stringContaining(`the organization Lab (${lab})`),
    });
    const own = await create(ada, { name: 'personal' });
    expect((await ada.call('GET', `/implementations/${own.id}`, { organizationId: lab })).body).toMatchObject({
      detail: expect.stringContaining('when you act for yourself'),
    });
    await ada.call('DELETE', `/implementations/${own.id}`);
    expect((await ada.call('DELETE', `/organizations/${lab}`)).status).toBe(409);
    const removed = await ada.call('DELETE', `/implementations/${made.id}`, { organizationId: lab });
    expect(removed.status).toBe(204);
    expect((await ada.call('DELETE', `/organizations/${lab}`)).status).toBe(204);
  });

  test('an account with an implementation is not deleted, and its memberships end with it', async () => {
    const eve = await poolUser(kethub, (await kethub.signIn('eve')).loginSession);
    const { id } = await create(ada, { name: 'kept' });
    await ada.call('PUT', `/implementations/${id}/members/USER/${eve.id}`, { body: { role: 'MAINTAINER' } });
    const own = await create(eve, { name: 'own' });
    const refused = await eve.call('DELETE', '/me');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(`DELETE /implementations/${own.id}`);
    await eve.call('DELETE', `/implementations/${own.id}`);
    expect((await eve.call('DELETE', '/me')).status).toBe(204);
    expect((await ada.call('GET', `/implementations/${id}/members`)).body).toEqual([]);
  });
});
