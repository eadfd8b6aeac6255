import { problems } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Chromium } from '../testing/chromium.ts';
import { sqlite } from '../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../testing/kethub.ts';
import { createTestRealm, hasKeycloak, type TestRealm } from '../testing/keycloak.ts';

// Pages in a real browser: none is wider than the narrowest telephone, and people are told how far their account is.

const WIDTH = 375;
/** Breaks nowhere: neither spaces nor hyphens. */
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetzenknopf';
const PASSWORD = 'correct horse battery staple';

/** Expects that the page can only be scrolled down. */
async function expectToFit(chromium: Chromium): Promise<void> {
  const width = 'document.documentElement.scrollWidth';
  const [title, href, wide] = (await chromium.run(`[document.title, location.href, ${width}]`)) as unknown[];
  expect([title, href, wide]).toEqual([expect.stringMatching(/./), href, WIDTH]);
}

/** Fills in the fields of the only form, by their names, and presses the button that sends it. */
function submit(chromium: Chromium, fields: Readonly<Record<string, string>>): Promise<void> {
  const values = JSON.stringify(Object.entries(fields));
  return chromium.follow(
    `for (const [name, value] of ${values}) document.forms[0].elements[name].value = value;
    document.forms[0].noValidate = true;
    document.forms[0].querySelector('button:not([type=button]), input[type=submit]').click()`,
  );
}

const textOf = (chromium: Chromium): Promise<unknown> => chromium.run('document.body.innerText');

describe('on a telephone of 375 pixels', () => {
  let kethub: TestKethub;
  let chromium: Chromium;
  let origin: string;
  let auth: string;
  beforeAll(async () => {
    kethub = await startTestKethub(sqlite, {
      KETHUB_SIGN_IN_ISSUER: 'http://127.0.0.1:1',
      KETHUB_SIGN_IN_CLIENT_ID: 'kethub',
      KETHUB_SIGN_IN_NAME: LONG,
    });
    auth = kethub.platform.addresses.auth;
    origin = new URL(auth).origin;
    chromium = await Chromium.start(WIDTH);
  });
  afterAll(async () => {
    await chromium.close();
    await kethub.close();
  });

  test('a page that is too wide is noticed', async () => {
    const wide = '<title>Wide</title><meta name="viewport" content="width=device-width"><p style="width: 400px">Wide';
    await chromium.open(`data:text/html,${encodeURIComponent(wide)}`);
    await expect(expectToFit(chromium)).rejects.toThrow(/to deeply equal/);
  });

  test('no page is wider than the screen', async () => {
    const { problems: about } = kethub.platform.addresses;
    const query = `client_id=${LONG}&response_type=code&redirect_uri=https://evil.example.org`;
    const addresses = [
      `${origin}/`,
      `${origin}/callback?code=x`,
      `${origin}/callback?error=access_denied`,
      `${origin}/${LONG}/${LONG}`,
      about,
      ...Object.keys(problems).map((code) => `${about}/${code}`),
      `${about}/${LONG}`,
      `${auth}/register`,
      `${auth}/forgot-password`,
      `${auth}/send-again`,
      `${auth}/verify/${'0'.repeat(40)}`,
      `${auth}/password/${'0'.repeat(40)}`,
      `${auth}/sign-in/nothing`,
      `${auth}/authorize?${query}`,
      `${auth}/sign-out`,
      `${auth}/${LONG}/${LONG}`,
    ];
    for (const address of addresses) {
      await chromium.open(address);
      await expectToFit(chromium);
    }
  });

  test('nor is a form that was filled in, and what comes after it', async () => {
    const email = `${LONG.toLowerCase()}@${LONG.toLowerCase()}.example.org`;
    const names = { firstname: LONG, lastname: LONG, password: PASSWORD };
    await chromium.open(`${auth}/register`);
    await submit(chromium, { email: LONG, ...names });
    expect(await textOf(chromium)).toContain('Enter an e-mail address');
    await expectToFit(chromium);
    await submit(chromium, { email, ...names });
    expect(await textOf(chromium)).toContain('Check your mail');
    await expectToFit(chromium);

    await chromium.open(`${origin}/sign-in`);
    await expectToFit(chromium);
    await submit(chromium, { username: LONG.repeat(3), password: 'wrong' });
    expect(await textOf(chromium)).toContain('Username or password is wrong');
    await expectToFit(chromium);
    await chromium.follow(`document.querySelector('a.button').click()`);
    expect(await textOf(chromium)).toContain('does not answer');
    await expectToFit(chromium);
    await submit(chromium, { username: email, password: PASSWORD });
    expect(await textOf(chromium)).toContain('Your e-mail address is not confirmed yet');
    await expectToFit(chromium);
    await chromium.follow(`document.querySelector('a.button').click()`);
    expect(await textOf(chromium)).toContain('You are signed in.');
    await expectToFit(chromium);
  });
});

describe.skipIf(!hasKeycloak)('with a Keycloak', () => {
  let realm: TestRealm;
  let kethub: TestKethub;
  let chromium: Chromium;
  let origin: string;
  beforeAll(async () => {
    realm = await createTestRealm();
    kethub = await startTestKethub(sqlite, realm.settings);
    origin = new URL(kethub.platform.addresses.api).origin;
    const [client] = (await realm.admin('GET', '/clients?clientId=kethub')) as { id: string }[];
    await realm.admin('PUT', `/clients/${client?.id}`, { ...client, redirectUris: [`${origin}/callback`] });
    chromium = await Chromium.start(WIDTH);
  });
  afterAll(async () => {
    await chromium.close();
    await kethub.close();
    await realm.remove();
  });

  async function signIn(username: string, status: 'PENDING' | 'APPROVED' | 'REJECTED'): Promise<void> {
    const person = { username, email: `${username}@example.org`, firstname: 'Grace', lastname: 'Hopper' };
    await kethub.kethub.identity.createUser({ ...person, password: PASSWORD, status });
    await chromium.open(`${origin}/`);
    await chromium.follow(`document.querySelector('a[href="/sign-in"]').click()`);
    expect(await chromium.run('location.origin')).toBe(realm.origin);
    await submit(chromium, { username, password: PASSWORD });
    expect(await chromium.run('location.origin + location.pathname')).toBe(`${origin}/callback`);
  }

  test.each([
    ['PENDING', 'Your registration waits for the approval of an administrator.'],
    ['REJECTED', 'Your registration was rejected.'],
    ['APPROVED', 'Publish and call services with the command line'],
  ] as const)('a page of the platform says so to somebody who is %s', async (status, text) => {
    await signIn(`grace-${status.toLowerCase()}`, status);
    expect(await textOf(chromium)).toContain(text);
    await expectToFit(chromium);
    await realm.admin('POST', '/logout-all');
  });

  test('an answer that this browser has not asked for signs nobody in', async () => {
    for (const query of ['code=x&state=y', 'code=x', 'state=y', 'error=access_denied', '']) {
      await chromium.open(`${origin}/callback?${query}`);
      expect([query, await textOf(chromium)]).toEqual([query, expect.stringContaining('Not signed in')]);
    }
  });
});
