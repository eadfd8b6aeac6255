import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestRealm, hasKeycloak, type TestRealm } from '@kethub/server/testing/keycloak';
import { picture } from './barriers.ts';
import { fillIn, openDashboard, PASSWORD, PROGRAM, signInAgain, type Dashboard } from './browser.ts';

/** Seconds for which an access token is valid, so that it ends during a test. */
const TOKEN_SECONDS = 5;

let realm: TestRealm;
beforeAll(async () => {
  if (hasKeycloak) realm = await createTestRealm();
});
afterAll(() => realm?.remove());

describe.skipIf(!existsSync(PROGRAM) || !hasKeycloak)('the dashboard with a Keycloak', () => {
  let dashboard: Dashboard;
  let page: Page;
  let origin: string;
  beforeAll(async () => {
    dashboard = await openDashboard(realm.settings, realm);
    ({ page, origin } = dashboard);
  }, 240_000);
  afterAll(() => dashboard?.close());

  const addUser = (username: string, status: 'APPROVED' | 'PENDING') =>
    dashboard.kethub.kethub.identity.createUser({
      username,
      email: `${username}@example.org`,
      firstname: username,
      lastname: 'Test',
      password: PASSWORD,
      status,
    });

  test('a person signs in there, and no token is stored here', async () => {
    expect(page.url()).toBe(`${origin}/me`);
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toMatch(/eyJ|token|verifier/i);
    await page.getByRole('button', { name: /account of ada/ }).waitFor();
  });

  test('the token is renewed without leaving the page, for all tabs', async () => {
    await realm.admin('PUT', '', { accessTokenLifespan: TOKEN_SECONDS });
    await page.reload();
    await page.getByRole('heading', { name: 'Last executions' }).waitFor();
    const visited: string[] = [];
    page.on('framenavigated', (frame) => visited.push(frame.url()));
    const request = page.waitForRequest((one) => one.headers()['authorization'] !== undefined);
    await page.getByRole('link', { name: 'Data pools' }).click();
    const authorization = (await request).headers()['authorization'] ?? '';
    const me = () => fetch(`${origin}/api/me`, { headers: { authorization } });
    await expect.poll(async () => (await me()).status, { timeout: 60_000 }).toBe(401);
    await page.getByRole('link', { name: 'Applications' }).click();
    await page.getByText('An application is a program that calls services').waitFor();
    const second = await dashboard.newPage();
    second.on('framenavigated', (frame) => visited.push(frame.url()));
    await second.goto(`${origin}/me/data-pools`);
    await second.getByRole('heading', { name: 'Data pools', level: 1 }).waitFor();
    expect(visited.filter((url) => !url.startsWith(origin))).toEqual([]);
    await second.close();
  });

  test('an address that is loaded directly comes back by itself, without a question', async () => {
    await page.goto(`${origin}/me/executions?tag=nothing-has-it`);
    await page.getByText('No execution fits this filter.').waitFor();
    expect(page.url()).toBe(`${origin}/me/executions?tag=nothing-has-it`);
    await page.reload();
    await page.getByText('No execution fits this filter.').waitFor();
    expect(page.url()).toBe(`${origin}/me/executions?tag=nothing-has-it`);
  });

  test('a code that this tab has not asked for signs nobody in', async () => {
    const other = await dashboard.pageOfNobody();
    await other.goto(`${origin}/callback?code=stolen&state=of-somebody-else`);
    await other.getByRole('heading', { name: 'Not signed in' }).waitFor();
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.locator('input[name=username]').waitFor();
    expect(new URL(other.url()).origin).toBe(realm.origin);
    await other.context().close();
  });

  test('a session that ends at the Keycloak is begun again in another tab, and what was typed stays', async () => {
    await page.goto(`${origin}/me/applications`);
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Notebook');
    const { identity } = dashboard.kethub.kethub;
    await identity.endSessions((await identity.findByEmail('ada@example.org'))?.id ?? '');
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    await picture(page, 'keycloak-session-ended');
    const other = await signInAgain(page, 'ada');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Notebook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Notebook', level: 1 }).waitFor();
    await other.close();
    await realm.admin('PUT', '', { accessTokenLifespan: 300 });
  });

  test('a person who waits for approval is notified, and goes on once approved', async () => {
    const { id } = await addUser('grace', 'PENDING');
    const other = await dashboard.pageOfNobody();
    await other.goto(`${origin}/me/services`);
    await fillIn(other, 'grace');
    await other.getByRole('heading', { name: 'An administrator has to approve your account' }).waitFor();
    await picture(other, 'keycloak-waiting');
    const { administration } = dashboard.kethub.kethub.identity;
    const pending = { status: 'PENDING', enabled: true } as const;
    await administration.change(id, pending, { ...pending, status: 'APPROVED' });
    await other.getByRole('button', { name: 'Look again' }).click();
    await other.getByText('A service is a folder').waitFor();
    expect(new URL(other.url()).pathname).toBe('/me/services');
    await other.context().close();
  });

  test('a sign-out ends the session there and in every tab', async () => {
    const second = await dashboard.newPage();
    await second.goto(`${origin}/me`);
    await second.getByRole('heading', { name: 'Last executions' }).waitFor();
    await page.getByRole('button', { name: /account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.locator('#kc-logout').click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).origin).toBe(origin);
    // Nothing of the person is left in the other tab.
    await second.getByRole('button', { name: 'Sign in' }).waitFor();
    await second.goto(`${origin}/me`);
    await second.locator('input[name=password]').waitFor();
    await second.close();
  });

  test('no script but its own has run, and requests went to the platform and its Keycloak only', () =>
    expect(dashboard.complaints).toEqual([]));
});

describe.skipIf(!existsSync(PROGRAM) || !hasKeycloak)('the dashboard with a button for a Keycloak', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    const settings = {
      KETHUB_SIGN_IN_ISSUER: realm.issuer,
      KETHUB_SIGN_IN_CLIENT_ID: 'kethub',
      KETHUB_SIGN_IN_NAME: 'Example Lab',
    };
    dashboard = await openDashboard(settings, realm);
    await realm.admin('POST', '/users', {
      username: 'hedy',
      email: 'hedy@example.org',
      emailVerified: true,
      firstName: 'Hedy',
      lastName: 'Lamarr',
      enabled: true,
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    });
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('a person signs in there, waits, is approved, and comes to the address that was asked for', async () => {
    const { kethub, origin } = dashboard;
    const page = await dashboard.pageOfNobody();
    await page.goto(`${origin}/me/applications`);
    await page.getByRole('link', { name: 'Sign in with Example Lab' }).click();
    expect(new URL(page.url()).origin).toBe(realm.origin);
    await fillIn(page, 'hedy');
    await page.getByText('waits for the approval').waitFor();
    await picture(page, 'upstream-waiting');
    const { administration } = kethub.kethub.identity;
    const [waiting] = await administration.list('PENDING', null, 10);
    const pending = { status: 'PENDING', enabled: true } as const;
    await administration.change(waiting?.person.id ?? '', pending, { ...pending, status: 'APPROVED' });
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText('An application is a program that calls services').waitFor();
    expect(page.url()).toBe(`${origin}/me/applications`);
    await page.reload();
    await page.getByRole('button', { name: /account of Hedy Lamarr/ }).waitFor();
    expect(page.url()).toBe(`${origin}/me/applications`);
    await page.context().close();
  });

  test('no script but its own has run, and requests went to the platform and its Keycloak only', () =>
    expect(dashboard.complaints).toEqual([]));
});
