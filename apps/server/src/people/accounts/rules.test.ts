import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';
const picture = (format: 'jpeg' | 'png' | 'webp') =>
  sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer();

/** The numbered rules of the user account service, one test each; the details are in the tests of each topic. */
describe.each(databases())('rules of the user account service on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  async function person(username: string, lastname = 'Lovelace') {
    const { id } = await server.addUser(username, { lastname });
    const { access_token: session } = await server.signIn(username);
    await server.call('GET', '/me', session);
    const { defaultToken } = (await (await server.call('GET', '/me/access-tokens', session)).json()) as {
      defaultToken: string;
    };
    const set = (fields: object) =>
      server.platform.database.write((transaction) =>
        transaction.updateTable('identities').set(fields).where('id', '=', id).execute(),
      );
    const upload = async (bytes: Buffer) => {
      const body = new FormData();
      body.set('file', new Blob([new Uint8Array(bytes)]), 'me');
      const headers = { authorization: `Bearer ${session}` };
      return fetch(`${server.platform.addresses.api}/me/profile-image`, { method: 'POST', headers, body });
    };
    return { id, session, token: defaultToken, set, upload };
  }
  const status = async (method: string, path: string, credential: string | null = null, body?: unknown) =>
    (await server.call(method, path, credential, body)).status;
  const json = async (method: string, path: string, credential: string | null = null, body?: unknown) =>
    (await server.call(method, path, credential, body)).json();

  describe('what the service does', () => {
    test('1: identity fields belong to the identity provider and are read-only here', async () => {
      const { session, set } = await person('does-1');
      for (const field of ['id', 'email', 'firstname', 'lastname', 'username']) {
        expect(await status('PUT', '/me', session, { [field]: 'other' })).toBe(400);
      }
      await set({ firstname: 'Augusta' });
      expect(await json('GET', '/me', session)).toMatchObject({ firstname: 'Augusta' });
      expect(await json('PUT', '/me', session, { about: 'x' })).toMatchObject({ firstname: 'Augusta' });
    });
    test('2: the editable fields are currentPosition, homepage and about', async () => {
      const { session } = await person('does-2');
      const fields = { currentPosition: 'a', homepage: 'https://example.org', about: 'b' };
      expect(await json('PUT', '/me', session, fields)).toMatchObject(fields);
      expect(await json('GET', '/me', session)).toMatchObject(fields);
    });
    test('3: the first GET /me creates the record', async () => {
      const { id } = await server.addUser('does-3');
      const { access_token } = await server.signIn('does-3');
      const rows = () => server.platform.database.read.selectFrom('users').where('id', '=', id).select('id').execute();
      expect(await rows()).toEqual([]);
      expect(await json('GET', '/me', access_token)).toMatchObject({ id });
      expect(await rows()).toEqual([{ id }]);
    });
    test('4: whoever is not approved is treated as an unknown id', async () => {
      const { session } = await person('does-4');
      const hidden = await person('does-4-hidden', 'Unseenable');
      await hidden.set({ status: 'REJECTED' });
      for (const id of [hidden.id, UNKNOWN]) {
        expect(await status('GET', `/users/${id}`, session)).toBe(404);
        expect(await status('HEAD', `/users/${id}`)).toBe(404);
        expect(await status('GET', `/users/${id}/profile-image`)).toBe(404);
        expect(await json('POST', '/users/batch', null, { ids: [id] })).toEqual({ users: [], notFound: id });
      }
      expect(await json('GET', '/search?q=unseenable', session)).toEqual([]);
    });
    test('5: a token takes the place of a login session, and POST /authorize resolves it', async () => {
      const { id, token } = await person('does-5');
      expect(await json('GET', '/me', token)).toMatchObject({ id });
      expect(await json('POST', '/authorize', token)).toMatchObject({ id, accessToken: {} });
    });
    test('6: an image is uploaded, replaced, deleted, and read by anyone', async () => {
      const { id, session, upload } = await person('does-6');
      const type = async () => (await server.call('GET', `/users/${id}/profile-image`)).headers.get('content-type');
      await upload(await picture('png'));
      expect(await type()).toBe('image/png');
      await upload(await picture('jpeg'));
      expect(await type()).toBe('image/jpeg');
      expect(await status('DELETE', '/me/profile-image', session)).toBe(204);
      expect(await type()).toBeNull();
    });
  });

  describe('behaviour', () => {
    test('1: POST /users/batch answers 200 even when no id resolves', async () => {
      const { id } = await person('behaves-1');
      expect(await status('POST', '/users/batch', null, { ids: ['a', 'b'] })).toBe(200);
      expect(await json('POST', '/users/batch', null, { ids: ['a', id, 'b'] })).toEqual({
        users: [{ id, firstname: 'Ada', lastname: 'Lovelace' }],
        notFound: 'a,b',
      });
    });
    test('2: GET /search matches names and username by part, never the e-mail address', async () => {
      const { id, session } = await person('behaves-2', 'Hollerith');
      for (const q of ['OLLERI', 'haves-2']) {
        expect(await json('GET', `/search?q=${q}`, session)).toEqual([{ id, firstname: 'Ada', lastname: 'Hollerith' }]);
      }
      expect(await json('GET', '/search?q=example.org', session)).toEqual([]);
      expect(await status('GET', '/search?q=nobody-at-all', session)).toBe(200);
    });
    test('3: an image is 404 without the user, 204 without the image', async () => {
      const { id } = await person('behaves-3');
      expect(await status('GET', `/users/${UNKNOWN}/profile-image`)).toBe(404);
      expect(await status('GET', `/users/${id}/profile-image`)).toBe(204);
    });
    test('4: JPEG and PNG are accepted', async () => {
      const { upload } = await person('behaves-4');
      const answers = [];
      for (const format of ['jpeg', 'png', 'webp'] as const) answers.push((await upload(await picture(format))).status);
      expect(answers).toEqual([204, 204, 400]);
    });
    test('5: DELETE /me is 400 while the user is the exclusive owner of applications or services', async () => {
      const { id, session } = await person('behaves-5');
      const own = {
        id: server.platform.newId(),
        owner_type: 'USER',
        owner_id: id,
        created_at: 1,
        revision: 1,
      } as const;
      const { database } = server.platform;
      await database.write(async (transaction) => {
        await transaction
          .insertInto('applications')
          .values({ ...own, name: 'x' })
          .execute();
      });
      expect(await status('DELETE', '/me', session)).toBe(400);
      await database.write(async (transaction) => {
        await transaction.deleteFrom('applications').where('id', '=', own.id).execute();
        await transaction
          .insertInto('services')
          .values({ ...own, name: 'x', slug: 'x', type: 'MANAGED', description: '', stored_bytes: 0 })
          .execute();
      });
      expect(await status('DELETE', '/me', session)).toBe(400);
      await database.write((transaction) => transaction.deleteFrom('services').where('id', '=', own.id).execute());
      expect(await status('DELETE', '/me', session)).toBe(204);
    });
    test('6: POST /authorize is 401 for what is no token, 403 for a user who may not authenticate', async () => {
      const { token, set } = await person('behaves-6');
      const authorize = (headers: Record<string, string>) =>
        server.call('POST', '/authorize', null, undefined, headers);
      for (const headers of [{}, { 'x-auth-token': 'malformed' }, { 'x-auth-token': token.slice(0, -1) }]) {
        expect((await authorize({ ...headers })).status).toBe(401);
      }
      await set({ enabled: 0 });
      expect((await authorize({ 'x-auth-token': token })).status).toBe(403);
    });
    test("7: another user's token cannot be deleted: 404", async () => {
      const { session } = await person('behaves-7');
      const { id } = (await json('POST', '/me/access-tokens', session, { name: 'x' })) as { id: string };
      const other = await person('behaves-7-other');
      expect(await status('DELETE', `/me/access-tokens/${id}`, other.session)).toBe(404);
      expect(await status('DELETE', `/me/access-tokens/${id}`, session)).toBe(204);
    });
  });

  describe('states of a token', () => {
    test('POST /me/access-tokens: a new token exists, its raw value is returned once', async () => {
      const { session } = await person('states-1');
      const { id, value } = (await json('POST', '/me/access-tokens', session, { name: 'x' })) as Record<string, string>;
      expect(await status('GET', '/me', value)).toBe(200);
      expect(await json('GET', '/me/access-tokens', session)).toMatchObject({ accessTokens: [{ id, value: null }] });
    });
    test('PUT /me/access-tokens/default: the previous default is invalid immediately', async () => {
      const { session, token } = await person('states-2');
      const { defaultToken } = (await json('PUT', '/me/access-tokens/default', session)) as { defaultToken: string };
      expect(await status('GET', '/me', token)).toBe(401);
      expect(await status('GET', '/me', defaultToken)).toBe(200);
    });
    test('DELETE /me/access-tokens/{id}: later requests using it fail with 401', async () => {
      const { session } = await person('states-3');
      const { id, value } = (await json('POST', '/me/access-tokens', session, { name: 'x' })) as Record<string, string>;
      expect(await status('DELETE', `/me/access-tokens/${id}`, session)).toBe(204);
      expect(await status('GET', '/me', value)).toBe(401);
    });
  });

  describe('limits', () => {
    test('at most 200 ids in a batch', async () => {
      const ids = (count: number) => ({ ids: Array.from({ length: count }, (_none, index) => `id-${index}`) });
      expect(await status('POST', '/users/batch', null, ids(200))).toBe(200);
      expect(await status('POST', '/users/batch', null, ids(201))).toBe(400);
    });
    test('a profile image may be kept for ten days and is revalidated', async () => {
      const { id, upload } = await person('limits-image');
      await upload(await picture('png'));
      const { headers } = await server.call('GET', `/users/${id}/profile-image`);
      expect(headers.get('cache-control')).toBe('max-age=864000, must-revalidate');
    });
    test('a token name and a search query have at least one character', async () => {
      const { session } = await person('limits-length');
      expect(await status('POST', '/me/access-tokens', session, { name: '' })).toBe(400);
      expect(await status('GET', '/search?q=', session)).toBe(400);
    });
  });

  describe('authentication', () => {
    test('1: /me, /me/profile-image and /search take either scheme', async () => {
      const { session, token } = await person('opens-1');
      for (const credential of [session, token]) {
        expect(await status('GET', '/me', credential)).toBe(200);
        expect(await status('PUT', '/me', credential, {})).toBe(200);
        expect(await status('DELETE', '/me/profile-image', credential)).toBe(204);
        expect(await status('POST', '/me/profile-image', credential)).toBe(400);
        expect(await status('GET', '/search?q=x', credential)).toBe(200);
      }
      expect(await status('DELETE', '/me', token)).toBe(204);
      const other = await person('opens-1-other');
      expect(await status('DELETE', '/me', other.session)).toBe(204);
    });
    test('2: below /me/access-tokens a personal access token is 403', async () => {
      const { token } = await person('opens-2');
      expect(await status('GET', '/me/access-tokens', token)).toBe(403);
      expect(await status('POST', '/me/access-tokens', token, { name: 'x' })).toBe(403);
      expect(await status('PUT', '/me/access-tokens/default', token)).toBe(403);
      expect(await status('DELETE', `/me/access-tokens/${UNKNOWN}`, token)).toBe(403);
    });
    test('3: 403 for a caller who is not approved, 401 for nobody', async () => {
      const { session, set } = await person('opens-3');
      await set({ status: 'PENDING' });
      for (const path of ['/me', '/search?q=x', `/users/${UNKNOWN}`]) {
        expect(await status('GET', path, session)).toBe(403);
        expect(await status('GET', path)).toBe(401);
      }
    });
    test('4: POST /authorize looks at X-Auth-Token alone', async () => {
      const { id, session, token } = await person('opens-4');
      expect(await status('POST', '/authorize', session)).toBe(401);
      const other = await person('opens-4-other');
      const headers = { authorization: `Bearer ${other.session}`, 'x-auth-token': token };
      expect(await (await server.call('POST', '/authorize', null, undefined, headers)).json()).toMatchObject({ id });
    });
  });
});
