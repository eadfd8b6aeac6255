import type { Service, ServiceExecution } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { bareExecution } from '../../testing/bare-executions.ts';
import { zip } from '../../testing/zip.ts';

const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';
const soon = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

describe.each(databases())('tokens with a scope on $name', (kind) => {
  let kethub: TestKethub;
  let session: string;
  let organizationId: string;
  let mine: Service;
  let other: Service;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    session = (await kethub.signIn('grace')).loginSession;
    organizationId = ((await (await call(session, 'POST', '/organizations', { name: 'Lab' })).json()) as Service).id;
    mine = await createService('mine');
    other = await createService('other');
  });
  afterAll(() => kethub.close());

  function call(
    token: string,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(kethub.kethub.platform.addresses.api + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  }

  async function createService(name: string): Promise<Service> {
    const form = new FormData();
    form.set('name', name);
    const source = await zip({ 'src/program.py': 'def run(data, params):\n    return {}\n' });
    form.set('source', source, 'source.zip');
    const response = await call(session, 'POST', '/services', form);
    expect(response.status).toBe(201);
    return (await response.json()) as Service;
  }

  /** The raw value of a new token with this scope. */
  async function tokenWith(scope: object): Promise<string> {
    const response = await call(session, 'POST', '/me/access-tokens', { name: 'ci', expiresAt: soon, scope });
    expect(response.status).toBe(200);
    const made = (await response.json()) as { value: string; scope: object };
    expect(made.scope).toEqual(scope);
    return made.value;
  }

  async function answer(...asked: Parameters<typeof call>): Promise<number | string> {
    const response = await call(...asked);
    if (response.status < 400) return response.status;
    const { type } = (await response.json()) as { type: string };
    return type.split('/').at(-1) ?? '';
  }

  test('a token has the operations of its scope and no other, and cannot make a token', async () => {
    const token = await tokenWith({ operations: ['service:list', 'service:read'] });
    expect(await answer(token, 'GET', '/services')).toBe(200);
    expect(await answer(token, 'GET', `/services/${mine.id}`)).toBe(200);
    expect(await answer(token, 'GET', '/me')).toBe(200);
    const refused: [string, string, object?][] = [
      ['PATCH', `/services/${mine.id}`, { description: 'x' }],
      ['DELETE', `/services/${mine.id}`],
      ['GET', '/applications'],
      ['PUT', '/me', { about: 'x' }],
      ['GET', '/organizations'],
      ['DELETE', '/me'],
      ['GET', '/user-registration-status'],
      ['GET', '/me/access-tokens'],
      ['POST', '/me/access-tokens', { name: 'wide' }],
    ];
    for (const [method, path, body] of refused)
      expect([path, await answer(token, method, path, body)]).toEqual([path, 'outside-token-scope']);
    const authorize = await fetch(`${kethub.kethub.platform.addresses.api}/authorize`, {
      method: 'POST',
      headers: { 'x-auth-token': token },
    });
    expect(authorize.status).toBe(403);
  });

  test('a token acts for the owner of its scope only', async () => {
    const personal = await tokenWith({ operations: ['service:list'] });
    const inLab = { 'x-organizationid': organizationId };
    expect(await answer(personal, 'GET', '/services', undefined, inLab)).toBe('outside-token-scope');
    const forLab = await tokenWith({ operations: ['service:list', 'organization:read'], organizationId });
    expect(await answer(forLab, 'GET', '/services', undefined, inLab)).toBe(200);
    expect(await answer(forLab, 'GET', `/organizations/${organizationId}`)).toBe(200);
    expect(await answer(forLab, 'GET', '/services')).toBe('outside-token-scope');
  });

  test('a token that is limited to services sees these and their executions only', async () => {
    const { database } = kethub.kethub.platform;
    const [own, foreign] = await Promise.all([mine, other].map((service) => executionOf(service)));
    const token = await tokenWith({
      operations: [
        'service:list',
        'service:read',
        'service:create',
        'application:list',
        'execution:list',
        'execution:read',
      ],
      serviceIds: [mine.id],
    });
    const listed = (await (await call(token, 'GET', '/services')).json()) as Service[];
    expect(listed.map(({ id }) => id)).toEqual([mine.id]);
    expect(await answer(token, 'GET', `/services/${mine.id}/versions`)).toBe(200);
    expect(await answer(token, 'GET', `/service-executions/${own}`)).toBe(200);
    expect(await answer(token, 'GET', `/service-executions?serviceId=${mine.id}`)).toBe(200);
    for (const path of [
      `/services/${other.id}`,
      `/services/${UNKNOWN}`,
      `/service-executions/${foreign}`,
      `/service-executions/${foreign}/result`,
      `/service-executions/${UNKNOWN}`,
      '/service-executions',
      `/service-executions?serviceId=${other.id}`,
      `/service-executions?serviceId=${mine.id}&serviceId=${other.id}`,
      '/applications',
      '/events',
    ])
      expect([path, await answer(token, 'GET', path)]).toEqual([path, 'outside-token-scope']);

    async function executionOf(service: Service): Promise<string> {
      const version = await database.read
        .selectFrom('service_versions')
        .select('id')
        .where('service_id', '=', service.id)
        .executeTakeFirstOrThrow();
      const { id: owner_id } = (await (await call(session, 'GET', '/me')).json()) as ServiceExecution;
      const id = kethub.kethub.platform.newId();
      const row = { ...bareExecution, id, owner_type: 'USER', owner_id, service_version_id: version.id } as const;
      await database.write((transaction) =>
        transaction
          .insertInto('executions')
          .values({ ...row, status: 'SUCCEEDED', created_at: 0, started_at: 0, ended_at: 1, result: '{}', log: '' })
          .execute(),
      );
      return id;
    }
  });

  test.each([
    ['without an end', { name: 'ci', scope: { operations: ['service:list'] } }],
    ['with an end far away', { name: 'ci', expiresAt: '2999-01-01', scope: { operations: ['service:list'] } }],
    ['without operations', { name: 'ci', expiresAt: soon, scope: { operations: [] } }],
    ['with an operation that is none', { name: 'ci', expiresAt: soon, scope: { operations: ['service:own'] } }],
    ['with no service', { name: 'ci', expiresAt: soon, scope: { operations: ['service:list'], serviceIds: [] } }],
  ])('a scope %s is refused', async (_what, body) => {
    expect((await call(session, 'POST', '/me/access-tokens', body)).status).toBe(400);
  });
});
