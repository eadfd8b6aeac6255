import type { Implementation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

const UNKNOWN = '01a1fd32-d765-71ab-ba39-25ede922012b';
const READS = ['/refs', '/tree', '/file?path=a.txt', '/commits', '/commits/main', '/compare?base=main&head=main'];

describe.each(databases())('visitors of repositories on $name', (kind) => {
  let kethub: TestKethub;
  let open: Implementation;
  let closed: Implementation;
  let api: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    api = kethub.platform.addresses.api;
    const make = async (name: string, visibility: 'PUBLIC' | 'PRIVATE') => {
      const made = await kethub.client.createImplementation({ json: { name, visibility } });
      const body = new FormData();
      body.append('files', new Blob(['one\n']), 'a.txt');
      await kethub.client.commitToImplementation({ implementationId: made.id, body });
      return made;
    };
    open = await make('open', 'PUBLIC');
    closed = await make('closed', 'PRIVATE');
  });
  afterAll(() => kethub.close());

  const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(api + path, { headers, method });
  const readsOf = (id: string) => [
    `/implementations/${id}`,
    ...[...READS, '/archive'].map((path) => `/-/implementations/${id}${path}`),
  ];

  test('a public repository is read without a credential', async () => {
    for (const path of readsOf(open.id)) {
      const answer = await visit(path);
      expect([path, answer.status]).toEqual([path, 200]);
      await answer.body?.cancel();
    }
    const found = (await (await visit('/implementations/public')).json()) as Implementation[];
    expect(found.map(({ id, role }) => [id, role])).toEqual([[open.id, 'VIEWER']]);
  });

  test('a private one looks exactly like one that does not exist', async () => {
    const unknown = readsOf(UNKNOWN);
    for (const [index, path] of readsOf(closed.id).entries()) {
      const [hidden, missing] = await Promise.all([visit(path), visit(unknown[index] ?? '')]);
      expect([path, hidden.status]).toEqual([path, 404]);
      const [a, b] = await Promise.all([hidden.text(), missing.text()]);
      const bare = (text: string): string => text.replaceAll(/"instance":"[^"]*"/g, '');
      expect(bare(a.replaceAll(closed.id, UNKNOWN))).toBe(bare(b));
    }
  });

  test('a repository that is made private is closed at the next request', async () => {
    const path = { implementationId: open.id };
    await kethub.client.updateImplementation({ ...path, json: { visibility: 'PRIVATE' } });
    for (const one of readsOf(open.id)) expect([one, (await visit(one)).status]).toEqual([one, 404]);
    expect(await (await visit('/implementations/public')).json()).toEqual([]);
    await kethub.client.updateImplementation({ ...path, json: { visibility: 'PUBLIC' } });
    expect((await visit(`/implementations/${open.id}`)).status).toBe(200);
  });

  test('visitors change nothing and see no former address, and a wrong credential is no visit', async () => {
    await kethub.client.updateImplementation({ implementationId: open.id, json: { name: 'renamed' } });
    expect(await (await visit(`/implementations/${open.id}`)).json()).toMatchObject({
      name: 'renamed',
      formerUrls: [],
    });
    for (const [method, path] of [
      ['PATCH', `/implementations/${open.id}`],
      ['DELETE', `/implementations/${open.id}`],
      ['GET', `/implementations/${open.id}/members`],
      ['GET', '/implementations'],
      ['POST', `/-/implementations/${open.id}/commits`],
      ['POST', `/-/implementations/${open.id}/services`],
    ] as const)
      expect([method, path, (await visit(path, {}, method)).status]).toEqual([method, path, 401]);
    expect((await visit(`/implementations/${open.id}`, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await visit(`/implementations/${open.id}`, { 'x-auth-token': 'ket_pat_wrong' })).status).toBe(401);
  });

  test('the visitors of one network have a limit of their own', async () => {
    const first = await visit(`/implementations/${open.id}`);
    const [, left = '0'] = /"visitors";r=(\d+)/.exec(first.headers.get('ratelimit') ?? '') ?? [];
    let refused: Response | null = null;
    for (let sent = 0; sent <= 2 * Number(left) && !refused; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => visit(`/implementations/${UNKNOWN}`)));
      refused = answers.find(({ status }) => status === 429) ?? null;
    }
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
    // People who have signed in are not slowed down by them.
    expect((await kethub.client.getImplementation({ implementationId: open.id })).id).toBe(open.id);
  });
});
