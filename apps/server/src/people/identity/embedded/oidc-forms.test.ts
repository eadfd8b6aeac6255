import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { sqlite } from '../../../testing/databases.ts';

const FORM = 'application/x-www-form-urlencoded';
let server: TestAccounts;
beforeAll(async () => {
  server = await startTestAccounts(sqlite.open);
  await server.addUser('ada');
  await server.addUser('köln', { password: 'pässword pässword' });
});
afterAll(() => server.close());

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.platform.addresses.auth}${path}`, {
    method: 'POST',
    headers: { 'content-type': FORM, ...headers },
    body,
    redirect: 'manual',
  });
const grant = `client_id=kethub&grant_type=password&username=ada&password=${encodeURIComponent(PASSWORD)}`;

/** Every route of the library that takes a form. */
const paths = ['/token', '/revoke', '/userinfo', '/sign-out', '/sign-out/confirm', '/authorize'];

describe.each(paths)('POST %s', (path) => {
  test.each([
    ['raw', Buffer.from('a=1&username=K\xf6ln', 'latin1')],
    ['written as %XX', 'a=1&username=K%F6ln'],
    ['half a character', 'a=1&username=%C3'],
    ['a surrogate', 'a=1&username=%ED%A0%80'],
  ])('bytes that are not UTF-8, %s, are 400 with the offset', async (_how, body) => {
    const response = await post(path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'invalid_request',
      error_description: expect.stringMatching(/^The form is not UTF-8\b.* at byte 1[34]\b/),
    });
  });

  test('what is too large is 413, whether its length is announced or not', async () => {
    const large = `a=${'x'.repeat(60 * 1024)}`;
    expect((await post(path, large)).status).toBe(413);
    expect(await inPieces(path, large)).toBe(413);
  });
});

test('a charset other than UTF-8 changes nothing', async () => {
  for (const charset of ['iso-8859-1', 'utf-16le', 'utf-8']) {
    const body = `client_id=kethub&grant_type=password&username=köln&password=${encodeURIComponent('pässword pässword')}`;
    expect((await post('/token', body, { 'content-type': `${FORM}; charset=${charset}` })).status).toBe(200);
  }
});

test('a form is read once it has come, also in pieces, and also where the media type is written otherwise', async () => {
  expect(await inPieces('/token', grant)).toBe(200);
  expect((await post('/token', grant, { 'content-type': 'Application/X-WWW-Form-URLEncoded' })).status).toBe(200);
});

test('other media types are refused as before', async () => {
  const response = await post('/token', '{}', { 'content-type': 'application/json' });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: 'invalid_request' });
});

test('a query that is not UTF-8 is refused, and a browser gets a page that says so', async () => {
  const response = await fetch(`${server.platform.addresses.auth}/authorize?state=%FF`, {
    headers: { accept: 'text/html' },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  expect(await response.text()).toContain('The query is not UTF-8 at byte 6');
});

/** The status of an answer to a body that comes in two chunks, without a length. */
function inPieces(path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = send(`${server.platform.addresses.auth}${path}`, {
      method: 'POST',
      headers: { 'content-type': FORM, 'transfer-encoding': 'chunked' },
    });
    request.on('error', reject).on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.write(body.slice(0, 10));
    setImmediate(() => request.end(body.slice(10)));
  });
}
