import { limits, type AccessKey, type Application } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertMany } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

describe.each(databases())('applications on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  async function create(key: string): Promise<Application> {
    const response = await fetch(`${kethub.kethub.platform.addresses.api}/applications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${kethub.loginSession}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ name: 'Repeated' }),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as Application;
  }

  test('a repeated request gets the secret again, which is stored sealed only', async () => {
    const first = await create('one');
    expect(await create('one')).toEqual(first);
    const secret = first.accessKeys[0]?.secretAccessKey ?? '';
    expect(secret).toMatch(/^ket_sk_/);
    const { read } = kethub.kethub.platform.database;
    const rows = [
      ...(await read.selectFrom('idempotency_keys').selectAll().execute()),
      ...(await read.selectFrom('access_keys').selectAll().execute()),
      ...(await read.selectFrom('audit_entries').selectAll().execute()),
    ];
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain('ket_sk_');
  });

  test('a name that is changed under an old entity tag is refused', async () => {
    const { id } = await create('two');
    const url = `${kethub.kethub.platform.addresses.api}/applications/${id}`;
    const headers = { authorization: `Bearer ${kethub.loginSession}` };
    const tag = (await fetch(url, { headers })).headers.get('etag') ?? '';
    const rename = (name: string) =>
      fetch(url, {
        method: 'PATCH',
        headers: { ...headers, 'content-type': 'application/json', 'if-match': tag },
        body: JSON.stringify({ name }),
      });
    expect(await (await rename('Renamed')).json()).toMatchObject({ name: 'Renamed' });
    expect((await rename('Renamed again')).status).toBe(412);
  });

  const call = (method: string, path: string, { key, as, body }: { key?: string; as?: string; body?: object } = {}) =>
    fetch(`${kethub.kethub.platform.addresses.api}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${as ?? kethub.loginSession}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  test('a rotation that is repeated answers with the same key, to the owner only; too many are refused', async () => {
    const { id } = await create('three');
    const path = `/applications/${id}/access-keys`;
    const rotate = (key?: string, as?: string, overlapSeconds = 600) =>
      call('POST', path, {
        body: { overlapSeconds },
        ...(key !== undefined && { key }),
        ...(as !== undefined && { as }),
      });
    const first = await rotate('again');
    expect(first.headers.get('cache-control')).toBe('no-store');
    const made = (await first.json()) as AccessKey;
    expect(made.secretAccessKey).toMatch(/^ket_sk_/);
    expect(await (await rotate('again')).json()).toEqual(made);
    expect((await rotate('again', undefined, 0)).status).toBe(422);
    const { loginSession } = await kethub.signIn('stranger');
    expect((await rotate('again', loginSession)).status).toBe(404);
    const keys = async () => ((await (await call('GET', `/applications/${id}`)).json()) as Application).accessKeys;
    expect(await keys()).toHaveLength(2);
    for (let more = 2; more < limits.accessKeysOfApplication; more++) expect((await rotate()).status).toBe(201);
    expect((await rotate()).status).toBe(409);
    // Keys that have ended are deleted and do not count.
    expect((await rotate(undefined, undefined, 0)).status).toBe(201);
    expect(await keys()).toHaveLength(1);
    const { read } = kethub.kethub.platform.database;
    expect(await read.selectFrom('access_keys').select('id').where('application_id', '=', id).execute()).toHaveLength(
      1,
    );
    expect((await call('DELETE', `/applications/${id}`)).status).toBe(204);
    expect((await rotate('again')).status).toBe(404);
  });

  test('a list comes whole or in pages, however long', async () => {
    const { id } = await create('four');
    const { read } = kethub.kethub.platform.database;
    const model = await read.selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const made = Array.from({ length: 1_200 }, () => ({ ...model, id: kethub.kethub.platform.newId() }));
    const columns = ['id', 'owner_type', 'owner_id', 'name', 'created_at', 'revision'] as const;
    await kethub.kethub.platform.database.write((transaction) =>
      insertMany(transaction, 'applications', columns, made),
    );
    const whole = (await (await call('GET', '/applications')).json()) as Application[];
    expect(whole.slice(0, 1_200).map((one) => one.id)).toEqual(made.map((one) => one.id).toReversed());
    expect(whole.find((one) => one.id === id)?.accessKeys).toHaveLength(1);
    const page = await call('GET', '/applications?limit=1000');
    const next = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    const second = await call('GET', next.slice(kethub.kethub.platform.addresses.api.length));
    expect([...((await page.json()) as []), ...((await second.json()) as [])]).toEqual(whole);
  });
});
