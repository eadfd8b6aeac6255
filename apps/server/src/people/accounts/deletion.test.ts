import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mount, platformLimits } from '../../foundation/http/index.ts';
import { IdentityProviderUnavailable } from '../identity/index.ts';
import type { Catalog } from '../deletions/index.ts';
import { catalogs, startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { sweepOrphans } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { countBlobs, settle, traces, type Settled } from '../../testing/leaving.ts';
import { createTestServer } from '../../testing/platform.ts';
import { createAccounts, security } from './index.ts';
import { nameProvider } from '../../catalog/marketplace/index.ts';

const patient = { timeout: 30_000 };

describe.each(databases())('DELETE /me on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  const status = async (method: string, path: string, credential: string | null, body?: unknown) =>
    (await server.call(method, path, credential, body)).status;
  const remove = (credential: string, origin = server.platform.addresses.api) =>
    fetch(`${origin}/me`, {
      method: 'DELETE',
      headers: credential.startsWith('ket_pat_')
        ? { 'x-auth-token': credential }
        : { authorization: `Bearer ${credential}` },
    });
  const code = async (response: Response) => {
    const { type } = (await response.json()) as { type: string };
    return [response.status, type.split('/').at(-1)];
  };
  const everything = [
    'access_tokens',
    'idempotency_keys',
    'identities',
    'oidc_records',
    'profile_images',
    'user_search',
  ];

  /** Nothing is left of the person but the note that they were deleted, which names nothing but the id. */
  async function expectGone(person: Settled, blobs: number): Promise<void> {
    expect(await traces(server, person)).toEqual(['account_deletions']);
    expect(await countBlobs(server)).toBe(blobs);
    const { read } = server.platform.database;
    const note = read.selectFrom('account_deletions').selectAll().where('user_id', '=', person.id);
    expect(await note.executeTakeFirst()).toMatchObject({ image_blob: null, ended_at: expect.any(Number) });
    expect(await status('GET', '/me', person.token)).toBe(401);
    expect(await status('GET', '/me', person.session)).toBe(401);
    expect(await status('POST', '/authorize', person.token)).toBe(401);
    const refreshed = await server.token({ grant_type: 'refresh_token', refresh_token: person.refreshToken });
    expect(refreshed.status).toBe(400);
    await expect(server.signIn(person.username)).rejects.toThrow('400');
  }

  test.each(['session', 'token'] as const)('deletes everything, asked with a login %s', async (credential) => {
    const blobs = await countBlobs(server);
    const person = await settle(server, `leaves-by-${credential}`);
    expect(await traces(server, person)).toEqual(expect.arrayContaining([...everything, 'users']));
    expect(await countBlobs(server)).toBe(blobs + 1);
    const response = await remove(person[credential]);
    expect([response.status, await response.text()]).toEqual([204, '']);
    await expectGone(person, blobs);
  });

  test('while a backup copies the files, the image stays; then the sweep removes it', async () => {
    const blobs = await countBlobs(server);
    const person = await settle(server, 'leaves-in-a-backup');
    const { database, blobs: store } = server.platform;
    const blobs_held_until = Date.now() + 3_600_000;
    const row = { id: 'this' as const, sealed_check: '', blob_store: '', blobs_held_until, created_at: 0 };
    await database.write((transaction) => transaction.insertInto('installation').values(row).execute());
    expect((await remove(person.session)).status).toBe(204);
    expect(await countBlobs(server)).toBe(blobs + 1);
    await database.write((transaction) => transaction.deleteFrom('installation').execute());
    await sweepOrphans(database, store, Date.now() + 2 * 3_600_000);
    await expectGone(person, blobs);
  });

  test('repeated after the end it is 204 in the same login session, and 401 with a token, which is gone', async () => {
    const person = await settle(server, 'repeats');
    expect((await remove(person.session)).status).toBe(204);
    expect((await remove(person.session)).status).toBe(204);
    expect(await code(await remove(person.token))).toEqual([401, 'not-authenticated']);
  });

  test('the same name can be taken anew, by somebody who has nothing of the one before', async () => {
    const before = await settle(server, 'phoenix');
    await remove(before.session);
    const after = await settle(server, 'phoenix');
    expect(after.id).not.toBe(before.id);
    expect(await (await server.call('GET', '/me', after.session)).json()).toMatchObject({ id: after.id });
    expect(await status('GET', '/me', before.session)).toBe(401);
  });

  test('somebody who was never here, with nothing to delete, is deleted as well', async () => {
    const { id } = await server.addUser('stranger');
    const { access_token } = await server.signIn('stranger');
    expect((await remove(access_token)).status).toBe(204);
    expect(await server.identity.find(id)).toBeNull();
  });

  test('several at once are 204, or 401 for one that comes when the person is gone', async () => {
    const blobs = await countBlobs(server);
    const person = await settle(server, 'hasty');
    const answers = await Promise.all(Array.from({ length: 6 }, () => remove(person.session)));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses).toContain(204);
    for (const one of statuses) expect([204, 401]).toContain(one);
    await expectGone(person, blobs);
  });

  test('is 400 for the only owner of applications or services, says of which, and deletes nothing', async () => {
    const person = await settle(server, 'owner');
    const before = await traces(server, person);
    const owner = { owner_type: 'USER', owner_id: person.id, created_at: 1, revision: 1 } as const;
    const ids = Array.from({ length: 12 }, () => server.platform.newId());
    const service = { slug: 's', type: 'MANAGED', description: '', stored_bytes: 0 } as const;
    await server.platform.database.write(async (transaction) => {
      for (const [index, id] of ids.entries())
        await transaction
          .insertInto('applications')
          .values({ ...owner, id, name: `A${index}` })
          .execute();
      await transaction
        .insertInto('services')
        .values({ ...owner, ...service, id: ids[0] ?? '', name: 'S' })
        .execute();
    });
    const many = await remove(person.session);
    expect(many.status).toBe(400);
    const { detail } = (await many.json()) as { detail: string };
    expect(detail.match(/application "A\d+" \(DELETE \/applications\/[\da-f-]{36}\)/g)).toHaveLength(10);
    expect(detail).toContain('and more');
    await server.platform.database.write((transaction) =>
      transaction.deleteFrom('applications').where('owner_id', '=', person.id).execute(),
    );
    const one = await remove(person.token);
    expect(one.status).toBe(400);
    expect(await one.json()).toMatchObject({
      type: expect.stringMatching(/\/still-owner$/),
      detail: expect.stringContaining(`service "S" (DELETE /services/${ids[0]})`),
    });
    expect(await traces(server, person)).toEqual([...before, 'services'].toSorted());
    expect(await status('GET', '/me', person.token)).toBe(200);
    await server.platform.database.write((transaction) =>
      transaction.deleteFrom('services').where('owner_id', '=', person.id).execute(),
    );
    expect((await remove(person.token)).status).toBe(204);
  });

  test('is 503 when the catalog cannot be asked, and deletes nothing', async () => {
    const person = await settle(server, 'unlucky');
    const before = await traces(server, person);
    const blobs = await countBlobs(server);
    const broken: Catalog = { ownedBy: () => Promise.reject(new Error('down')), forget: () => Promise.resolve() };
    const other = await another({ catalogs: [...catalogs, broken] });
    expect(await code(await remove(person.session, other.origin))).toEqual([503, 'catalog-unavailable']);
    await other.close();
    expect([await traces(server, person), await countBlobs(server)]).toEqual([before, blobs]);
    expect(await status('GET', '/me', person.token)).toBe(200);
  });

  describe('when the identity provider fails at the last step', () => {
    const failing = async (username: string) => {
      const blobs = await countBlobs(server);
      const person = await settle(server, username);
      const other = await another({ delete: () => Promise.reject(new IdentityProviderUnavailable(new Error('down'))) });
      expect(await code(await remove(person.session, other.origin))).toEqual([503, 'deletion-incomplete']);
      await other.close();
      return { person, blobs };
    };

    test('the resources are gone, the identity remains, a retry completes the deletion', async () => {
      const { person, blobs } = await failing('retries');
      expect(await traces(server, person)).toEqual(['account_deletions', 'identities', 'oidc_records']);
      expect(await countBlobs(server)).toBe(blobs);
      expect(await server.identity.find(person.id)).not.toBeNull();
      expect((await remove(person.session)).status).toBe(204);
      await expectGone(person, blobs);
    });

    test('a new login session can complete it', async () => {
      const { person, blobs } = await failing('returns');
      const { access_token } = await server.signIn('returns');
      expect((await remove(access_token)).status).toBe(204);
      await expectGone(person, blobs);
    });

    test('the platform completes it by itself', async () => {
      const { person, blobs } = await failing('forgets');
      const other = await another({});
      other.accounts.start();
      await expect.poll(() => traces(server, person), patient).toEqual(['account_deletions']);
      await other.close();
      await expectGone(person, blobs);
    });

    test('one that goes on failing keeps nobody waiting', async () => {
      const stuck = await failing('stuck');
      const { person, blobs } = await failing('next');
      const other = await another({
        delete: (id) => (id === stuck.person.id ? Promise.reject(new Error('down')) : server.identity.delete(id)),
      });
      other.accounts.start();
      await expect.poll(() => traces(server, person), patient).toEqual(['account_deletions']);
      await other.close();
      await expectGone(person, blobs);
      expect((await remove(stuck.person.session)).status).toBe(204);
    });

    test('until then nothing else can be done: 403, and the person is found by nobody', async () => {
      const { person } = await failing('waits');
      const asked = await server.addUser('asks').then(() => server.signIn('asks'));
      for (const [method, path, body] of [
        ['GET', '/me'],
        ['PUT', '/me', { about: 'x' }],
        ['DELETE', '/me/profile-image'],
        ['GET', '/me/access-tokens'],
        ['POST', '/me/access-tokens', { name: 'x' }],
        ['PUT', '/me/access-tokens/default'],
        ['GET', '/search?q=waits'],
        ['GET', `/users/${person.id}`],
      ] as const) {
        const response = await server.call(method, path, person.session, body);
        expect([path, ...(await code(response))]).toEqual([path, 403, 'account-being-deleted']);
        expect([path, await status(method, path, person.token, body)]).toEqual([path, 401]);
      }
      const registration = '/user-registration-status?email=waits@example.org';
      expect(await status('GET', registration, person.session)).toBe(401);
      expect(await (await server.call('GET', registration, asked.access_token)).json()).toMatchObject({
        status: 'NOT_FOUND',
      });
      expect(await status('POST', '/authorize', person.token)).toBe(401);
      expect(await status('GET', `/users/${person.id}`, asked.access_token)).toBe(404);
      expect(await status('HEAD', `/users/${person.id}`, null)).toBe(404);
      expect(await status('GET', `/users/${person.id}/profile-image`, null)).toBe(404);
      const batch = await server.call('POST', '/users/batch', null, { ids: [person.id] });
      expect(await batch.json()).toEqual({ users: [], notFound: person.id });
      expect(await (await server.call('GET', '/search?q=waits', asked.access_token)).json()).toEqual([]);
      expect((await remove(person.session)).status).toBe(204);
    });
  });

  /** The same platform once more, with other ports. */
  async function another(ports: {
    readonly catalogs?: readonly Catalog[];
    readonly delete?: (id: string) => Promise<void>;
  }) {
    const identity = { ...server.identity, ...(ports.delete && { delete: ports.delete }) };
    const accounts = createAccounts(server.platform, identity, ports.catalogs ?? catalogs, nameProvider);
    const app = await createTestServer(server.platform);
    const limits = platformLimits(server.platform);
    mount(app, accounts.endpoints, { prefix: '/api', admit: accounts.admit, security, limits });
    const origin = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api`;
    const close = async () => {
      await app.close();
      await accounts.close();
    };
    return { accounts, origin, close };
  }
});
