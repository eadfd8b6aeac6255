import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

describe.each(databases())('mails of invitations on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
  });
  afterAll(() => kethub.close());

  const post = (to: string, body: object): Promise<Response> =>
    fetch(kethub.kethub.platform.addresses.api + to, {
      method: 'POST',
      headers: { authorization: `Bearer ${kethub.loginSession}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const organization = async (name: string): Promise<string> =>
    ((await (await post('/organizations', { name })).json()) as { id: string }).id;
  const invite = (id: string, email: string): Promise<Response> =>
    post(`/organizations/${id}/invitations`, { email, role: 'VIEWER' });
  /** The written mails, once none waits to be sent. */
  const mails = async (): Promise<string[]> => {
    const { database, configuration } = kethub.kethub.platform;
    const waiting = () => database.read.selectFrom('outgoing_mails').select('id').execute();
    await expect.poll(waiting, { timeout: 30_000 }).toEqual([]);
    const folder = path.join(configuration.dataDir, 'outbox');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).toSorted();
    return Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  };

  test('whoever is invited gets a mail, which says nothing that somebody could have typed', async () => {
    const id = await organization('Click https://evil.example now');
    expect((await invite(id, 'Grace@Example.org')).status).toBe(201);
    const [mail = '', ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail).toContain('To: grace@example.org');
    expect(mail).toContain('ket org invitations');
    // Its id is random.
    expect(mail.replace(/^Message-ID: .*$/m, '')).not.toMatch(/evil|ada/i);
  });

  test('a mailbox gets three a day from all organizations together; the invitations are there all the same', async () => {
    const before = (await mails()).length;
    for (let round = 0; round < 5; round++) {
      const id = await organization(`Lab ${round}`);
      expect((await invite(id, `mallory+${round}@example.org`)).status).toBe(201);
    }
    expect((await mails()).length - before).toBe(3);
  });

  test('one person invites a hundred times a day', async () => {
    const id = await organization('Flood');
    let last = await invite(id, 'x0@example.org');
    for (let round = 1; round < 200 && last.status === 201; round++) last = await invite(id, `x${round}@example.org`);
    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    await mails();
  });
});
