import type { Application } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';

describe.each(databases)('applications on $name', (kind) => {
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

  test('a repeated request gets the secret again, which is at rest sealed only', async () => {
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
});
