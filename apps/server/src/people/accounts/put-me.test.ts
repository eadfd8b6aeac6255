import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

describe.each(databases())('PUT /me on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  async function person(username: string) {
    const { id } = await server.addUser(username);
    const { access_token } = await server.signIn(username);
    const put = (body?: unknown, headers?: Record<string, string>) =>
      server.call('PUT', '/me', access_token, body, headers);
    return { id, put, get: () => server.call('GET', '/me', access_token) };
  }

  test('present fields are stored, absent and null ones stay, an empty text clears', async () => {
    const ada = await person('ada');
    const full = { currentPosition: 'Countess', homepage: 'https://example.org/~ada', about: 'Notes ✎' };
    const first = await ada.put(full);
    expect(first.status).toBe(200);
    expect(await first.json()).toEqual({
      id: ada.id,
      username: 'ada',
      email: 'ada@example.org',
      firstname: 'Ada',
      lastname: 'Lovelace',
      ...full,
    });
    expect(await (await ada.put({})).json()).toMatchObject(full);
    expect(await (await ada.put({ currentPosition: null, homepage: null, about: null })).json()).toMatchObject(full);
    expect(await (await ada.put({ homepage: '', about: 'Other' })).json()).toMatchObject({
      currentPosition: 'Countess',
      homepage: null,
      about: 'Other',
    });
    expect(await (await ada.get()).json()).toMatchObject({ homepage: null, about: 'Other' });
  });

  test('without a GET /me before, the record is created', async () => {
    const grace = await person('grace');
    expect((await grace.put({ about: 'First' })).status).toBe(200);
    expect(await (await grace.get()).json()).toMatchObject({ id: grace.id, about: 'First' });
  });

  test.each([
    ['no body', undefined, ''],
    ['a list', [], ''],
    ['a number as text', { about: 5 }, '/about'],
    ['a field of the identity provider', { email: 'other@example.org' }, '/email'],
    ['a position of 201 characters', { currentPosition: 'x'.repeat(201) }, '/currentPosition'],
    ['an about of 5001 characters', { about: 'x'.repeat(5_001) }, '/about'],
    ['a homepage of 2049 characters', { homepage: `https://e.org/${'x'.repeat(2_035)}` }, '/homepage'],
    ['a homepage without scheme', { homepage: 'example.org' }, '/homepage'],
    ['a homepage that is a script', { homepage: 'javascript:alert(1)' }, '/homepage'],
    ['a homepage without host', { homepage: 'https://' }, '/homepage'],
    ['a homepage with blanks', { homepage: ' https://example.org' }, '/homepage'],
    ['the character U+0000', { about: 'a\0b' }, '/about'],
  ])('%s is refused, named, and changes nothing', async (name, body, pointer) => {
    const someone = await person(`refused ${name}`.replaceAll(/\W/g, '-').toLowerCase());
    await someone.put({ about: 'Before' });
    const response = await someone.put(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ pointer }] });
    expect(await (await someone.get()).json()).toMatchObject({ about: 'Before', homepage: null });
  });

  test('the longest of each is taken, counted in characters', async () => {
    const long = await person('long');
    const body = {
      currentPosition: '𝔸'.repeat(200),
      homepage: `https://e.org/${'x'.repeat(2_034)}`,
      about: '✎'.repeat(5_000),
    };
    expect(await (await long.put(body)).json()).toMatchObject(body);
  });

  test('of two changes of the same state that race one is refused as stale', async () => {
    const racing = await person('racing');
    const tag = (await racing.get()).headers.get('etag') ?? '';
    const answers = await Promise.all(['one', 'two'].map((about) => racing.put({ about }, { 'if-match': tag })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    const kept = answers.find(({ status }) => status === 200);
    expect(kept?.headers.get('etag')).toBe((await racing.get()).headers.get('etag'));
  });
});
