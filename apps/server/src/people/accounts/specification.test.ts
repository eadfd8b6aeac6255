import type { FastifyInstance } from 'fastify';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mount, platformLimits } from '../../foundation/http/index.ts';
import { IdentityProviderUnavailable } from '../identity/index.ts';
import { catalogs, startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import { createTestServer } from '../../testing/platform.ts';
import { createAccounts, security, securitySchemes, type Accounts } from './index.ts';
import { nameProvider } from '../../catalog/marketplace/index.ts';

/** The parts of a request that exist only once there is a server. */
interface World {
  /** An approved user who has signed in. */
  readonly id: string;
  readonly session: string;
  readonly token: string;
  readonly pendingSession: string;
  readonly pendingToken: string;
  /** The id of a token of the user, made for this request. */
  newToken(): Promise<string>;
  /** The session of a new user, who leaves; and of one who owns an application. */
  newSession(): Promise<string>;
  readonly ownerSession: string;
}

interface Request {
  readonly path: string;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Record<string, string>;
  /** The credential is a header of its own. */
  readonly authToken?: string;
  /** Takes the place of the session of the user. */
  readonly session?: string;
}

interface Row {
  readonly endpoint: string;
  readonly success: number;
  /** The error statuses of the table. */
  readonly errors: readonly (400 | 401 | 403 | 404 | 503)[];
  /** Another success of the table. */
  readonly also?: readonly number[];
  readonly valid: (world: World) => Request | Promise<Request>;
  /** Requests for which the table has 400. */
  readonly wrong?: readonly (Request | ((world: World) => Request))[];
  /** A request for which it has 404. */
  readonly missing?: Request;
}

const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';
const picture = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
  .png()
  .toBuffer();

/**
 * Statuses that docs/decisions.md adds to the table for every HTTP interface, and why. Nothing else is described, and
 * `checkAnswers` sees to it that nothing else is answered.
 */
const everywhere: Readonly<Record<number, string>> = {
  304: 'Concurrency of edits: what has an ETag is not sent twice',
  409: 'Idempotency: the first call is still running',
  412: 'Concurrency of edits: If-Match is stale',
  413: 'Limits: the JSON body is too large',
  415: 'The body has another media type than the described one',
  422: 'Idempotency: the key was used with another body',
  429: 'Rate limits, and limits on look-ups and on images that wait to be decoded',
  500: 'Something failed inside the platform',
};
/**
 * POST /authorize needs the identity provider to tell 200 from 403; the table of errors has 503 for that. The table knows
 * no personal access token with a scope, which may not ask for the status of its user.
 */
const besides: Readonly<Record<string, readonly number[]>> = {
  'POST /authorize': [503],
  'GET /user-registration-status': [403],
};

/** The table of endpoints of the user account service, row by row in its order. */
const table: readonly Row[] = [
  { endpoint: 'GET /me', success: 200, errors: [401, 403, 503], valid: () => ({ path: '/me' }) },
  {
    endpoint: 'PUT /me',
    success: 200,
    errors: [400, 401, 403, 503],
    valid: () => ({ path: '/me', json: { about: 'x' } }),
    wrong: [{ path: '/me' }, { path: '/me', json: { homepage: 'x' } }, { path: '/me', json: { email: 'x' } }],
  },
  {
    endpoint: 'DELETE /me',
    success: 204,
    errors: [400, 401, 403, 503],
    valid: async (world) => ({ path: '/me', session: await world.newSession() }),
    wrong: [({ ownerSession }) => ({ path: '/me', session: ownerSession })],
  },
  {
    endpoint: 'POST /me/profile-image',
    success: 204,
    errors: [400, 401, 403, 503],
    valid: () => ({ path: '/me/profile-image', form: upload(picture) }),
    wrong: [
      { path: '/me/profile-image' },
      { path: '/me/profile-image', form: upload(Buffer.alloc(0)) },
      { path: '/me/profile-image', form: upload(Buffer.from('GIF89a')) },
    ],
  },
  {
    endpoint: 'DELETE /me/profile-image',
    success: 204,
    errors: [401, 403, 503],
    valid: () => ({ path: '/me/profile-image' }),
  },
  {
    endpoint: 'GET /me/access-tokens',
    success: 200,
    errors: [401, 403, 503],
    valid: () => ({ path: '/me/access-tokens' }),
  },
  {
    endpoint: 'POST /me/access-tokens',
    success: 200,
    errors: [400, 401, 403, 503],
    valid: () => ({ path: '/me/access-tokens', json: { name: 'x' } }),
    wrong: [
      { path: '/me/access-tokens' },
      { path: '/me/access-tokens', json: { name: '' } },
      { path: '/me/access-tokens', json: { name: 'x', expiresAt: '2999-02-30' } },
    ],
  },
  {
    endpoint: 'PUT /me/access-tokens/default',
    success: 200,
    errors: [401, 403, 503],
    valid: () => ({ path: '/me/access-tokens/default' }),
  },
  {
    endpoint: 'DELETE /me/access-tokens/{id}',
    success: 204,
    errors: [401, 403, 404, 503],
    valid: async (world) => ({ path: `/me/access-tokens/${await world.newToken()}` }),
    missing: { path: `/me/access-tokens/${UNKNOWN}` },
  },
  {
    endpoint: 'POST /authorize',
    success: 200,
    errors: [401, 403],
    valid: ({ token }) => ({ path: '/authorize', authToken: token }),
  },
  {
    endpoint: 'GET /users/{id}',
    success: 200,
    errors: [401, 403, 404, 503],
    valid: ({ id }) => ({ path: `/users/${id}` }),
    missing: { path: `/users/${UNKNOWN}` },
  },
  {
    endpoint: 'HEAD /users/{id}',
    success: 204,
    errors: [404, 503],
    valid: ({ id }) => ({ path: `/users/${id}` }),
    missing: { path: `/users/${UNKNOWN}` },
  },
  {
    endpoint: 'GET /users/{id}/profile-image',
    success: 204,
    also: [200],
    errors: [404, 503],
    valid: ({ id }) => ({ path: `/users/${id}/profile-image` }),
    missing: { path: `/users/${UNKNOWN}/profile-image` },
  },
  {
    endpoint: 'POST /users/batch',
    success: 200,
    errors: [400, 503],
    valid: ({ id }) => ({ path: '/users/batch', json: { ids: [id] } }),
    wrong: [
      { path: '/users/batch' },
      { path: '/users/batch', json: {} },
      { path: '/users/batch', json: { ids: Array.from({ length: 201 }, () => 'x') } },
    ],
  },
  {
    endpoint: 'GET /user-registration-status',
    success: 200,
    errors: [400, 401, 503],
    valid: () => ({ path: '/user-registration-status?email=ada@example.org' }),
    wrong: [{ path: '/user-registration-status' }, { path: '/user-registration-status?email=ada' }],
  },
  {
    endpoint: 'GET /search',
    success: 200,
    errors: [400, 401, 403, 503],
    valid: () => ({ path: '/search?q=ada' }),
    wrong: [{ path: '/search' }, { path: '/search?q=' }],
  },
];

test('every endpoint of the table is here', () => {
  expect(table.map(({ endpoint }) => endpoint)).toHaveLength(16);
});

describe.each(databases())('the table of endpoints on $name', ({ open }) => {
  let server: TestAccounts;
  let lonely: { app: FastifyInstance; accounts: Accounts; origin: string };
  let world: World;
  beforeAll(async () => {
    server = await startTestAccounts(open);
    lonely = await withoutIdentityProvider(server);
    world = await people(server);
  });
  afterAll(async () => {
    await lonely.app.close();
    await lonely.accounts.close();
    await server.close();
  });

  function send(method: string, request: Request, credential: string | null, api = server.platform.addresses.api) {
    const { path, json, form, headers, authToken, session } = request;
    const bearer = session && credential === world.session ? session : credential;
    const body = json === undefined ? form : JSON.stringify(json);
    return fetch(api + path, {
      method,
      headers: {
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(bearer && !authToken && { authorization: `Bearer ${bearer}` }),
        ...(authToken && { 'x-auth-token': authToken }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
  }
  async function expectProblem(response: Response, status: number): Promise<void> {
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const text = await response.text();
    // Never a body after HEAD.
    if (text !== '') expect(JSON.parse(text)).toMatchObject({ status, title: expect.any(String) });
  }

  describe.each(table)('$endpoint', ({ endpoint, success, errors, also, valid, wrong = [], missing }) => {
    const method = endpoint.split(' ')[0] ?? '';
    const open = !errors.includes(401);

    test(`${success}`, async () => {
      const response = await send(method, await valid(world), open ? null : world.session);
      expect([response.status, response.status === 204 ? await response.text() : '']).toEqual([success, '']);
    });
    if (errors.includes(400))
      test('400', async () => {
        expect(wrong).not.toHaveLength(0);
        for (const one of wrong) {
          const request = typeof one === 'function' ? one(world) : one;
          await expectProblem(await send(method, request, world.session), 400);
        }
      });
    if (errors.includes(401))
      test('401', async () => {
        const request = await valid(world);
        if (request.authToken) await expectProblem(await send(method, { path: request.path }, null), 401);
        const strange = request.authToken ? { ...request, authToken: `${request.authToken}x` } : request;
        await expectProblem(await send(method, strange, null), 401);
        await expectProblem(await send(method, strange, 'eyJhbGciOiJub25lIn0.e30.'), 401);
      });
    if (errors.includes(403))
      test('403', async () => {
        const request = await valid(world);
        const pending = request.authToken ? { ...request, authToken: world.pendingToken } : request;
        await expectProblem(await send(method, pending, world.pendingSession), 403);
      });
    if (errors.includes(404))
      test('404', async () => {
        await expectProblem(await send(method, missing ?? { path: '/' }, open ? null : world.session), 404);
      });
    if (errors.includes(503))
      test('503', async () => {
        const request = await valid(world);
        await expectProblem(await send(method, request, open ? null : world.session, lonely.origin), 503);
      });
    test('its statuses, and no others, are in the interface description', () => {
      const path = endpoint.split(' ')[1] ?? '';
      const { paths } = JSON.parse(JSON.stringify(server.app.swagger())) as {
        paths: Record<string, Record<string, { responses: object }>>;
      };
      const described = Object.keys(paths[path]?.[method.toLowerCase()]?.responses ?? {}).map(Number);
      const own = described.filter((status) => !(status in everywhere) && !besides[endpoint]?.includes(status));
      expect(new Set(own)).toEqual(new Set([success, ...errors, ...(also ?? [])]));
    });
  });
});

/** The same platform with an identity provider that knows the sessions but does not answer any more. */
async function withoutIdentityProvider({ platform, identity }: TestAccounts) {
  const down = () => Promise.reject(new IdentityProviderUnavailable(new Error('down')));
  const silent = { find: down, findApproved: down };
  const accounts = createAccounts(platform, { ...identity, ...silent }, catalogs, nameProvider);
  const app = await createTestServer(platform, securitySchemes(`${platform.addresses.auth}/token`));
  const limits = platformLimits(platform);
  mount(app, accounts.endpoints, { prefix: '/api', admit: accounts.admit, security, limits });
  const origin = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api`;
  return { app, accounts, origin };
}

async function people(server: TestAccounts): Promise<World> {
  const person = async (username: string) => {
    const { id } = await server.addUser(username);
    const { access_token: session } = await server.signIn(username);
    const create = async () => {
      const response = await server.call('POST', '/me/access-tokens', session, { name: 'x' });
      return (await response.json()) as { id: string; value: string };
    };
    return { id, session, create, token: (await create()).value };
  };
  const ada = await person('ada');
  const owner = await person('owner');
  const pending = await person('pending');
  await server.platform.database.write((transaction) =>
    transaction
      .insertInto('applications')
      .values({ id: UNKNOWN, owner_type: 'USER', owner_id: owner.id, name: 'x', created_at: 1, revision: 1 })
      .execute(),
  );
  let leavers = 0;
  await server.platform.database.write((transaction) =>
    transaction.updateTable('identities').set({ status: 'PENDING' }).where('id', '=', pending.id).execute(),
  );
  return {
    id: ada.id,
    session: ada.session,
    token: ada.token,
    pendingSession: pending.session,
    pendingToken: pending.token,
    newToken: async () => (await ada.create()).id,
    newSession: async () => (await person(`leaver-${leavers++}`)).session,
    ownerSession: owner.session,
  };
}

function upload(bytes: Buffer): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'me.png');
  return form;
}
