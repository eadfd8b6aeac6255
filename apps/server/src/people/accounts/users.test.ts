import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Identity, NewUser } from '../identity/index.ts';
import { putIntoSearch, searchTextOf } from '../search/index.ts';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

const NOBODY = '01a1fd32-d765-71ab-ba39-25ede922012b';

describe.each(databases())('looking up users on $name', ({ open }) => {
  let server: TestAccounts;
  let caller: string;
  beforeAll(async () => {
    server = await startTestAccounts(open);
    await server.addUser('caller', { firstname: 'Caller', lastname: 'Zzz' });
    caller = (await server.signIn('caller')).access_token;
  });
  afterAll(() => server.close());

  /** A user who has been here once. */
  async function visitor(username: string, other: Partial<NewUser> = {}): Promise<Identity> {
    const user = await server.addUser(username, other);
    const { access_token } = await server.signIn(username);
    expect((await server.call('GET', '/me', access_token)).status).toBe(200);
    return user;
  }
  const change = (id: string, fields: object) =>
    server.platform.database.write((transaction) =>
      transaction.updateTable('identities').set(fields).where('id', '=', id).execute(),
    );
  async function search(q: string): Promise<string[]> {
    const response = await server.call('GET', `/search?q=${encodeURIComponent(q)}`, caller);
    expect(response.status).toBe(200);
    return ((await response.json()) as { firstname: string; lastname: string }[]).map(
      ({ firstname, lastname }) => `${firstname} ${lastname}`,
    );
  }
  const batch = (ids: unknown) => server.call('POST', '/users/batch', null, { ids });

  test('a user is shown with their name alone', async () => {
    const { id } = await server.addUser('shown');
    const response = await server.call('GET', `/users/${id}`, caller);
    expect(await response.json()).toEqual({ id, firstname: 'Ada', lastname: 'Lovelace' });
    const head = await server.call('HEAD', `/users/${id}`);
    expect([head.status, await head.text()]).toEqual([204, '']);
  });

  test.each([
    ['pending', { status: 'PENDING' }],
    ['rejected', { status: 'REJECTED' }],
    ['unverified', { email_verified: 0 }],
    ['disabled', { enabled: 0 }],
  ])('a user who is %s is treated as nobody everywhere, at once', async (name, fields) => {
    const { id } = await visitor(name, { firstname: `Hidden${name}` });
    expect(await search(`Hidden${name}`)).toHaveLength(1);
    await change(id, fields);
    const answers = await Promise.all([
      server.call('GET', `/users/${id}`, caller),
      server.call('GET', `/users/${NOBODY}`, caller),
      server.call('HEAD', `/users/${id}`),
      server.call('GET', `/users/${id}/profile-image`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const [of, ofNobody] = await Promise.all(answers.slice(0, 2).map(async (answer) => answer.text()));
    expect(of?.replaceAll(id, NOBODY)).toBe(ofNobody);
    expect(await (await batch([id])).json()).toEqual({ users: [], notFound: id });
    expect(await search(`Hidden${name}`)).toEqual([]);
  });

  test('an id of any form is an id of nobody, not a failure', async () => {
    for (const id of ['x', '%00', 'a%2Fb', "'", '%F0%9F%A6%8A', 'x'.repeat(500)]) {
      expect([id, (await server.call('GET', `/users/${id}`, caller)).status]).toEqual([id, 404]);
      expect([id, (await server.call('HEAD', `/users/${id}`)).status]).toEqual([id, 404]);
    }
  });

  test('a batch drops duplicates, keeps the order and lists the ids of nobody together', async () => {
    const { id: first } = await server.addUser('first');
    const { id: second } = await server.addUser('second', { firstname: 'Second' });
    const response = await batch([second, 'b', first, NOBODY, 'b', second, '']);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      users: [
        { id: second, firstname: 'Second', lastname: 'Lovelace' },
        { id: first, firstname: 'Ada', lastname: 'Lovelace' },
      ],
      notFound: `b,${NOBODY},`,
    });
  });

  test('a batch takes 0 to 200 ids', async () => {
    expect(await (await batch([])).json()).toEqual({ users: [], notFound: '' });
    const ids = Array.from({ length: 200 }, (_none, index) => `nobody-${index}`);
    const most = await batch(ids);
    expect([most.status, await most.json()]).toEqual([200, { users: [], notFound: ids.join(',') }]);
    for (const wrong of [[...ids, 'one more'], null, 'x', [1], [null], undefined]) {
      expect((await batch(wrong)).status).toBe(400);
    }
  });

  test('search finds a part of first name, last name or username, whatever the case', async () => {
    await visitor('hopper-login', { firstname: 'Grace', lastname: 'Hopperström' });
    for (const q of ['grace', 'RAC', 'hopperSTRÖM', 'ström', 'R-LOG', 'hopper-l']) {
      expect([q, await search(q)]).toEqual([q, ['Grace Hopperström']]);
    }
    await visitor('weiss', { firstname: 'Max', lastname: 'Weiß' });
    expect(await search('WEISS')).toEqual(['Max Weiß']);
    expect(await search('iß')).toEqual(['Max Weiß']);
    expect(await search('nobody has this')).toEqual([]);
    await visitor('STRAUẞ', { firstname: 'Ida', lastname: 'STRAUẞ' });
    for (const q of ['strauß', 'STRAUẞ', 'strauss', 'auẞ']) expect([q, await search(q)]).toEqual([q, ['Ida STRAUẞ']]);
  });

  test('search finds first and last name together, in either order and with the words apart', async () => {
    await visitor('together', { firstname: 'Chien-Shiung Jane', lastname: 'Wu Yuan' });
    for (const q of ['Chien-Shiung Wu', 'wu chien', ' Yuan   Jane ', 'jane\tyuan', 'shiung uan', 'together wu'])
      expect([q, await search(q)]).toEqual([q, ['Chien-Shiung Jane Wu Yuan']]);
    for (const q of ['Chien Meitner', 'Wu Yuann', 'JaneWu']) expect([q, await search(q)]).toEqual([q, []]);
  });

  test('search finds approved people who have never been here, and nobody who is not approved yet', async () => {
    await server.addUser('absent', { lastname: 'Neverhere' });
    expect(await search('neverhere')).toEqual(['Ada Neverhere']);
    const { id } = await server.addUser('waiting', { lastname: 'Waitinghere', status: 'PENDING' });
    expect(await search('waitinghere')).toEqual([]);
    await change(id, { status: 'APPROVED' });
    expect(await search('waitinghere')).toEqual(['Ada Waitinghere']);
    const { access_token } = await server.signIn('absent');
    expect((await server.call('DELETE', '/me', access_token)).status).toBe(204);
    expect(await search('neverhere')).toEqual([]);
  });

  test('search never matches an e-mail address, nor a username beyond its @', async () => {
    await visitor('mail', { firstname: 'Emmy', lastname: 'Noether', email: 'secret-address@hidden.example' });
    for (const q of ['secret-address', 'hidden.example', '@hidden', 'example.org', '@']) {
      expect([q, await search(q)]).toEqual([q, []]);
    }
    await visitor('lise@uni.example', { firstname: 'Lise', lastname: 'Meitner', email: 'lise@uni.example' });
    expect(await search('uni.example')).toEqual([]);
    expect(await search('lise@')).toEqual([]);
    expect(await search('lise')).toEqual(['Lise Meitner']);
  });

  test('every character of the query is literal', async () => {
    await visitor('percent', { firstname: '100%_sure', lastname: String.raw`back\slash "quoted' *` });
    for (const q of ['%', '_', '0%_s', String.raw`\s`, '"quoted', `d' *`, 'sh "q']) {
      expect([q, await search(q)]).toEqual([q, [String.raw`100%_sure back\slash "quoted' *`]]);
    }
    for (const q of ['%%%', '___', '0_sure', '" OR "', 'NOT x', '\u001Fx', '*x']) {
      expect([q, await search(q)]).toEqual([q, []]);
    }
  });

  test('the best match is first, then by last name and first name, at most 20', async () => {
    await visitor('order-a', { firstname: 'Xmquark', lastname: 'Aaa' });
    await visitor('order-b', { firstname: 'Zed', lastname: 'Mquark' });
    await visitor('order-c', { firstname: 'Ann', lastname: 'Mquark' });
    await visitor('mquark', { firstname: 'Yve', lastname: 'Bbb' });
    const best = ['Yve Bbb', 'Ann Mquark', 'Zed Mquark', 'Xmquark Aaa'];
    expect(await search('mquark')).toEqual(best);
    expect(await search('MQ')).toEqual(best);
    for (let index = 10; index < 45; index += 1) {
      await server.platform.database.write(async (transaction) => {
        const id = `crowd-${index}`;
        const names = { firstname: `Crowd${index}`, lastname: 'Many', username: id, email: `${id}@example.org` };
        const now = server.platform.now();
        const identity = { email_verified: 1, password_hash: '', status: 'APPROVED' as const, created_at: now };
        // Those up to 29 may not be seen: the page has to be filled from behind them.
        await transaction
          .insertInto('identities')
          .values({ id, ...names, ...identity, enabled: index < 30 ? 0 : 1 })
          .execute();
        const profile = { current_position: null, homepage: null, about: null, created_at: now, updated_at: now };
        await transaction
          .insertInto('users')
          .values({ id, ...names, ...profile })
          .execute();
        await putIntoSearch(transaction, id, searchTextOf(names));
      });
    }
    expect(await search('crowd')).toEqual(Array.from({ length: 15 }, (_none, index) => `Crowd${index + 30} Many`));
    await Promise.all(
      Array.from({ length: 20 }, async (_none, index) => change(`crowd-${index + 10}`, { enabled: 1 })),
    );
    for (const q of ['crowd', 'ROW', 'y', 'cr']) expect([q, (await search(q)).length]).toEqual([q, 20]);
  });

  test('a new name is found and the old one is not, before and after the next visit', async () => {
    const { id } = await visitor('renamed', { lastname: 'Oldname' });
    await change(id, { lastname: 'Newname' });
    expect(await search('oldname')).toEqual([]);
    expect(await search('newname')).toEqual(['Ada Newname']);
    const { access_token } = await server.signIn('renamed');
    await server.call('GET', '/me', access_token);
    expect(await search('oldname')).toEqual([]);
    expect(await search('newname')).toEqual(['Ada Newname']);
  });

  test('a user who is deleted is gone from the search', async () => {
    const { id } = await visitor('deleted', { lastname: 'Vanishing' });
    expect(await search('vanish')).toHaveLength(1);
    await server.platform.database.write((transaction) =>
      transaction.deleteFrom('users').where('id', '=', id).execute(),
    );
    expect(await search('vanish')).toEqual([]);
    expect(
      await server.platform.database.read.selectFrom('user_search').selectAll().where('user_id', '=', id).execute(),
    ).toEqual([]);
  });

  test.each(['', '?q=', '?q=a&q=b', '?q=%00'])('GET /search%s is refused', async (query) => {
    const response = await server.call('GET', `/search${query}`, caller);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });
});
