import type { DataPool, MemberRole } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';

describe.each(databases())('data pools on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  let bob: PoolUser;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    ada = await poolUser(kethub, kethub.loginSession);
    bob = await poolUser(kethub, (await kethub.signIn('bob')).loginSession);
  });
  afterAll(() => kethub.close());

  const put = (of: PoolUser, pool: DataPool, member: string, role: MemberRole, organizationId = '') =>
    of.call('PUT', `/data-pools/${pool.id}/members/${member}`, { body: { role }, organizationId });
  const status = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status;

  test('a pool is created, read, changed under its entity tag, listed and deleted', async () => {
    const created = await ada.call('POST', '/data-pools', { body: { name: '  Graphs ', description: 'of 12 nodes' } });
    const pool = created.body as DataPool;
    expect(created.headers.get('location')).toMatch(new RegExp(`/data-pools/${pool.id}$`));
    expect(pool).toMatchObject({
      name: 'Graphs',
      role: 'OWNER',
      files: 0,
      bytes: 0,
      owner: { type: 'USER', id: ada.id },
    });
    const read = await ada.call('GET', `/data-pools/${pool.id}`);
    const tag = read.headers.get('etag') ?? '';
    expect(read.body).toEqual(pool);
    const headers = { 'if-none-match': tag };
    expect(await status(ada.call('GET', `/data-pools/${pool.id}`, { headers }))).toBe(304);
    const change = (match: string) =>
      ada.call('PATCH', `/data-pools/${pool.id}`, { body: { name: 'Other' }, headers: { 'if-match': match } });
    expect((await change(tag)).body).toMatchObject({ name: 'Other', description: 'of 12 nodes' });
    expect((await change(tag)).status).toBe(412);
    await ada.upload(pool, 'a.txt', 'abc');
    expect((await ada.call('GET', '/data-pools')).body).toEqual([{ ...pool, name: 'Other', files: 1, bytes: 3 }]);
    expect(await status(ada.call('DELETE', `/data-pools/${pool.id}`))).toBe(204);
    expect(await status(ada.call('GET', `/data-pools/${pool.id}`))).toBe(404);
  });

  test('an Idempotency-Key creates one pool', async () => {
    const create = () =>
      ada.call('POST', '/data-pools', { body: { name: 'once' }, headers: { 'idempotency-key': 'one pool' } });
    const [first, second] = [await create(), await create()];
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  test('the list is paged over own pools and shared ones together, newest first', async () => {
    const cara = await poolUser(kethub, (await kethub.signIn('cara')).loginSession);
    const made: DataPool[] = [];
    for (const owner of [cara, ada, cara, ada, cara]) {
      const pool = await owner.create(`pool ${made.length}`);
      if (owner === ada) await put(ada, pool, `USER/${cara.id}`, 'VIEWER');
      made.unshift(pool);
    }
    const seen: unknown[] = [];
    for (let next: string | undefined = '/data-pools?limit=2'; next;) {
      const page = await cara.call('GET', next);
      seen.push(...(page.body as DataPool[]).map(({ name, role }) => `${name} ${role}`));
      next = /<[^>]*(\/data-pools\?[^>]*)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(made.map(({ name, owner }) => `${name} ${owner.id === cara.id ? 'OWNER' : 'VIEWER'}`));
  });

  describe('members', () => {
    /** The rights of each role, as the status of an attempt. */
    const attempts = async (who: PoolUser, pool: DataPool, organizationId = '') => {
      const call = (method: string, path: string, body?: object) =>
        status(who.call(method, `/data-pools/${pool.id}${path}`, { organizationId, ...(body && { body }) }));
      return {
        read: await call('GET', '/files/a.txt'),
        write: await call('PUT', '/files/b.txt', Buffer.from('b')),
        rename: await call('PATCH', '', { name: 'renamed' }),
        share: await call('PUT', `/members/USER/${UNKNOWN}`, { role: 'VIEWER' }),
        transfer: await call('PUT', '/owner', { type: 'USER', id: who.id }),
      };
    };
    const nothing = { read: 404, write: 404, rename: 404, share: 404, transfer: 404 };
    const viewer = { read: 200, write: 403, rename: 403, share: 403, transfer: 403 };
    const maintainer = { ...viewer, write: 201, rename: 200 };
    // 404: he may share the pool, but the user does not exist.
    const owner = { ...maintainer, write: 200, share: 404 };

    test('a person has the rights of the role that they were given, by id and without an organization', async () => {
      const pool = await ada.create();
      await ada.upload(pool, 'a.txt', 'a');
      expect(await attempts(bob, pool)).toEqual(nothing);
      const member = `USER/${bob.id}`;
      expect(await put(ada, pool, member, 'VIEWER')).toMatchObject({ status: 201, body: { type: 'USER', id: bob.id } });
      expect(await attempts(bob, pool)).toEqual(viewer);
      expect((await put(ada, pool, member, 'MAINTAINER')).status).toBe(200);
      expect(await attempts(bob, pool)).toEqual(maintainer);
      await put(ada, pool, member, 'OWNER');
      expect(await attempts(bob, pool)).toEqual(owner);
      expect((await bob.call('GET', '/data-pools')).body).toMatchObject([{ id: pool.id, role: 'OWNER' }]);
      const organization = await bob.organization('Elsewhere');
      expect(await attempts(bob, pool, organization)).toEqual(nothing);
      expect(await status(ada.call('DELETE', `/data-pools/${pool.id}/members/${member}`))).toBe(204);
      expect(await attempts(bob, pool)).toEqual(nothing);
    });

    test('who acts for a member organization has no more rights than within it', async () => {
      const pool = await ada.create();
      await ada.upload(pool, 'a.txt', 'a');
      const lab = await ada.organization('Lab');
      await kethub.kethub.platform.database.write((transaction) =>
        transaction
          .insertInto('memberships')
          .values({ organization_id: lab, user_id: bob.id, role: 'VIEWER', created_at: 0 })
          .execute(),
      );
      await put(ada, pool, `ORGANIZATION/${lab}`, 'OWNER');
      expect(await attempts(bob, pool, lab)).toEqual(viewer);
      expect((await bob.call('GET', `/data-pools/${pool.id}`, { organizationId: lab })).body).toMatchObject({
        role: 'VIEWER',
      });
      expect((await bob.call('GET', '/data-pools', { organizationId: lab })).body).toMatchObject([{ role: 'VIEWER' }]);
      expect(await attempts(bob, pool)).toEqual(nothing);
      await put(ada, pool, `ORGANIZATION/${lab}`, 'VIEWER');
      expect(
        await status(ada.call('PATCH', `/data-pools/${pool.id}`, { body: { name: 'x' }, organizationId: lab })),
      ).toBe(403);
    });

    test('only users and organizations that exist become members, and not the owner', async () => {
      const pool = await ada.create();
      expect((await put(ada, pool, `USER/${UNKNOWN}`, 'VIEWER')).status).toBe(404);
      expect((await put(ada, pool, `ORGANIZATION/${UNKNOWN}`, 'VIEWER')).status).toBe(404);
      expect((await put(ada, pool, `ORGANIZATION/${bob.id}`, 'VIEWER')).status).toBe(404);
      expect((await put(ada, pool, `USER/${ada.id}`, 'VIEWER')).status).toBe(409);
      expect((await put(ada, pool, `TEAM/${bob.id}`, 'VIEWER')).status).toBe(400);
      expect((await ada.call('GET', `/data-pools/${pool.id}/members`)).body).toEqual([]);
    });

    test('a member can give the pool up; the owner cannot', async () => {
      const pool = await ada.create();
      await put(ada, pool, `USER/${bob.id}`, 'VIEWER');
      const leave = (who: PoolUser) => status(who.call('DELETE', `/data-pools/${pool.id}/membership`));
      expect([await leave(bob), await leave(bob), await leave(ada)]).toEqual([204, 404, 409]);
    });

    test('every change of rights stands in the audit log of the owner', async () => {
      const dora = await poolUser(kethub, (await kethub.signIn('dora')).loginSession);
      const pool = await dora.create();
      await put(dora, pool, `USER/${bob.id}`, 'OWNER');
      await put(bob, pool, `USER/${ada.id}`, 'VIEWER');
      await bob.call('DELETE', `/data-pools/${pool.id}/members/USER/${ada.id}`);
      await bob.call('DELETE', `/data-pools/${pool.id}/membership`);
      await dora.call('DELETE', `/data-pools/${pool.id}`);
      const log = (await dora.call('GET', '/audit-log')).body as {
        action: string;
        actorId: string;
        resourceId: string;
      }[];
      const ofPools = log.filter(({ action }) => action.startsWith('data-pool'));
      expect(ofPools.map(({ action, actorId, resourceId }) => [action, actorId, resourceId])).toEqual([
        ['data-pool:delete', dora.id, pool.id],
        ['data-pool:leave', bob.id, pool.id],
        ['data-pool-member:remove', bob.id, pool.id],
        ['data-pool-member:change', bob.id, pool.id],
        ['data-pool-member:change', dora.id, pool.id],
        ['data-pool:create', dora.id, pool.id],
      ]);
    });
  });

  test('a transfer moves the pool and leaves its members; a new owner is no member any more', async () => {
    const pool = await ada.create();
    const lab = await ada.organization('New owner');
    await put(ada, pool, `ORGANIZATION/${lab}`, 'VIEWER');
    await put(ada, pool, `USER/${bob.id}`, 'VIEWER');
    const moved = await ada.call('PUT', `/data-pools/${pool.id}/owner`, { body: { type: 'ORGANIZATION', id: lab } });
    expect(moved).toMatchObject({ status: 200, body: { owner: { type: 'ORGANIZATION', id: lab } } });
    expect(await status(ada.call('GET', `/data-pools/${pool.id}`))).toBe(404);
    const members = await ada.call('GET', `/data-pools/${pool.id}/members`, { organizationId: lab });
    expect(members.body).toMatchObject([{ type: 'USER', id: bob.id }]);
  });

  test('an organization is not deleted while it owns a pool; what was shared with it ends with it', async () => {
    const lab = await ada.organization('Passing');
    const own = await ada.create('own', lab);
    const shared = await bob.create('shared');
    await put(bob, shared, `ORGANIZATION/${lab}`, 'VIEWER');
    const remove = () => ada.call('DELETE', `/organizations/${lab}`);
    expect(await remove()).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('data pools, such as "own"') },
    });
    await ada.call('DELETE', `/data-pools/${own.id}`, { organizationId: lab });
    expect((await remove()).status).toBe(204);
    expect((await bob.call('GET', `/data-pools/${shared.id}/members`)).body).toEqual([]);
  });

  test('an account is not deleted while it owns a pool; what was shared with it ends with it', async () => {
    const leaver = await poolUser(kethub, (await kethub.signIn('leaver')).loginSession);
    const own = await leaver.create('own');
    const shared = await ada.create();
    await put(ada, shared, `USER/${leaver.id}`, 'MAINTAINER');
    expect(await leaver.call('DELETE', '/me')).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(`DELETE /data-pools/${own.id}`) },
    });
    await leaver.call('DELETE', `/data-pools/${own.id}`);
    expect(await status(leaver.call('DELETE', '/me'))).toBe(204);
    expect((await ada.call('GET', `/data-pools/${shared.id}/members`)).body).toEqual([]);
    expect((await put(ada, shared, `USER/${leaver.id}`, 'VIEWER')).status).toBe(404);
  });
});
