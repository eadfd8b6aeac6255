import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestKethub } from '@kethub/server/testing/kethub';
import { mailsTo, tokenIn } from '@kethub/server/testing/outbox';
import { picture } from './barriers.ts';
import { fillIn, openDashboard, PASSWORD, PROGRAM, signInAgain, type Dashboard } from './browser.ts';

const HEDY = 'hedy@example.org';
const OTHER_PASSWORD = 'another staple of batteries';
/** Everything that this origin keeps in the browser, as text. */
const KEPT = `(async () => {
  const databases = await Promise.all((await indexedDB.databases()).map(({ name }) => new Promise((done, failed) => {
    const opening = indexedDB.open(name);
    opening.onerror = failed;
    opening.onsuccess = async () => {
      const stores = [...opening.result.objectStoreNames];
      const rows = await Promise.all(stores.map((store) => new Promise((read) => {
        const all = opening.result.transaction(store).objectStore(store).getAll();
        all.onsuccess = () => read(all.result);
      })));
      opening.result.close();
      done([name, stores, rows]);
    };
  })));
  const found = [{ ...localStorage }, { ...sessionStorage }, document.cookie, await caches.keys(), databases, name, history.state];
  return JSON.stringify(found);
})()`;

describe.skipIf(!existsSync(PROGRAM))('sign-in with the embedded provider, in a browser', () => {
  let dashboard: Dashboard;
  let kethub: TestKethub;
  let page: Page;
  let origin: string;
  beforeAll(async () => {
    dashboard = await openDashboard({ KETHUB_ADMINISTRATORS: 'ada' });
    ({ kethub, page, origin } = dashboard);
  }, 240_000);
  afterAll(() => dashboard?.close());

  /** Statement of the first page, where nobody is signed in. */
  const firstPage = (tab: Page) => tab.getByRole('button', { name: 'Sign in' }).waitFor();
  const decide = async (email: string, change: { status?: 'APPROVED' | 'REJECTED' }): Promise<void> => {
    const [found] = await kethub.client.listRegistrations({ email });
    await kethub.client.changeRegistration({ id: found?.id ?? '', json: change });
  };

  test('somebody registers, confirms the address, waits, is rejected, and is approved after all', async () => {
    const other = await dashboard.pageOfNobody();
    await other.goto(`${origin}/`);
    await other.getByRole('link', { name: 'Register' }).click();
    await other.getByLabel('E-mail address').fill(HEDY);
    await other.getByLabel('Username').fill('hedy');
    await other.getByLabel('First name').fill('Hedy');
    await other.getByLabel('Last name').fill('Lamarr');
    await other.getByLabel('Password').fill(PASSWORD);
    await other.getByRole('button', { name: 'Register' }).click();
    await other.getByRole('heading', { name: 'Check your mail' }).waitFor();
    const token = tokenIn(await mailsTo(kethub.platform, HEDY));
    await other.goto(`${kethub.platform.addresses.auth}/verify/${token}`);
    await other.getByLabel('The password that you chose').fill(PASSWORD);
    await other.getByRole('button', { name: 'Confirm' }).click();
    await other.getByRole('button', { name: 'Confirm' }).waitFor({ state: 'detached' });
    await picture(other, 'address-confirmed');

    await other.goto(`${origin}/me/services`);
    await fillIn(other, 'hedy');
    await other.getByText('waits for the approval').waitFor();
    await other.getByRole('link', { name: 'Continue' }).click();
    await other.getByRole('heading', { name: 'An administrator has to approve your account' }).waitFor();
    await picture(other, 'pending');
    await decide(HEDY, { status: 'REJECTED' });
    await other.getByRole('button', { name: 'Look again' }).click();
    const rejected = other.getByRole('heading', { name: 'Your registration was rejected' });
    await rejected.or(other.locator('input[name=password]')).first().waitFor();
    await picture(other, 'rejected');
    await decide(HEDY, { status: 'APPROVED' });
    await other.goto(`${origin}/me/services`);
    const again = other.locator('input[name=password]');
    await again
      .or(other.getByRole('heading', { name: 'Services', level: 1 }))
      .first()
      .waitFor();
    if ((await again.count()) > 0) await fillIn(other, 'hedy');
    await other.getByRole('heading', { name: 'Services', level: 1 }).waitFor();
    expect(new URL(other.url()).pathname).toBe('/me/services');
    await other.context().close();
  });

  test('a forgotten password is replaced, and the old one signs nobody in', async () => {
    const other = await dashboard.pageOfNobody();
    await other.goto(`${origin}/me/data-pools`);
    await other.getByRole('link', { name: 'Forgot your password?' }).click();
    await other.getByLabel('E-mail address').fill(HEDY);
    await other.getByRole('button', { name: 'Send' }).click();
    await other.getByRole('button', { name: 'Send' }).waitFor({ state: 'detached' });
    const token = tokenIn(await mailsTo(kethub.platform, HEDY));
    await other.goto(`${kethub.platform.addresses.auth}/password/${token}`);
    await other.getByLabel('Password').fill(OTHER_PASSWORD);
    await other.getByRole('button', { name: 'Set password' }).click();
    await other.getByRole('button', { name: 'Set password' }).waitFor({ state: 'detached' });
    await picture(other, 'password-set');
    await other.goto(`${origin}/me/data-pools`);
    await fillIn(other, 'hedy');
    await other.getByRole('alert').waitFor();
    await other.locator('input[name=password]').fill(OTHER_PASSWORD);
    await other.locator('input[name=password]').press('Enter');
    await other.getByRole('heading', { name: 'Data pools', level: 1 }).waitFor();
    expect(new URL(other.url()).pathname).toBe('/me/data-pools');
    await other.context().close();
  });

  test('a cancelled sign-in says so, and the next one leads to the address that was asked for', async () => {
    const other = await dashboard.pageOfNobody();
    await other.goto(`${origin}/me/applications`);
    await other.getByRole('button', { name: 'Cancel' }).click();
    await other.getByRole('heading', { name: 'Not signed in' }).waitFor();
    await picture(other, 'sign-in-cancelled');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await fillIn(other, 'ada');
    await other.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
    await other.context().close();
  });

  test('a state and a code of somebody else lead nowhere else and sign nobody in', async () => {
    const states = [
      'https://evil.example/',
      '//evil.example/',
      'javascript:window.hacked=1',
      '/\\evil.example',
      '/api/me',
    ];
    const other = await dashboard.pageOfNobody();
    for (const state of states) {
      const query = `code=stolen&state=${encodeURIComponent(state)}`;
      await other.goto(`${origin}/callback?${query}`);
      // Nobody has a session: the way leads to the sign-in of this platform.
      await other
        .locator('input[name=password]')
        .or(other.getByRole('heading', { name: 'Not signed in' }))
        .first()
        .waitFor();
      expect(new URL(other.url()).origin).toBe(origin);
      await page.goto(`${origin}/callback?${query}`);
      await page.getByRole('heading', { name: 'Last executions' }).waitFor();
      expect(page.url()).toBe(`${origin}/me`);
    }
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    await other.context().close();
  });

  test('what was typed stays over a session that ends, and is sent after a sign-in in another tab', async () => {
    await page.goto(`${origin}/me/applications`);
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Notebook');
    await kethub.client.endSessions();
    // The token that is out lives for up to 15 minutes more: the test refuses it, as the platform does afterwards.
    await page.route('**/api/applications', (route) =>
      route.fulfill({ status: 401, contentType: 'application/problem+json', body: '{}' }),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.waitFor();
    await picture(page, 'session-ended');
    // Escape closes neither this dialog nor the one below it with what was typed.
    await page.keyboard.press('Escape');
    await ended.getByText('It was too old').click();
    await page.keyboard.press('Escape');
    expect(await ended.isVisible()).toBe(true);
    expect(await page.evaluate(KEPT)).not.toMatch(/eyJ|access_token|verifier/);
    await page.unroute('**/api/applications');
    const other = await signInAgain(page, 'ada');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Notebook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Notebook', level: 1 }).waitFor();
    expect(await page.evaluate(KEPT)).not.toMatch(/eyJ|access_token|verifier/);
    await other.close();
  });

  test('the button signs out everywhere: each tab of this browser, and another browser', async () => {
    const second = await dashboard.newPage();
    await second.goto(`${origin}/me/services`);
    await second.getByRole('heading', { name: 'Services', level: 1 }).waitFor();
    const elsewhere = await dashboard.pageOf('ada');
    await page.getByRole('button', { name: /account of/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await firstPage(page);
    await firstPage(second);
    // The other browser learns it when it needs a new token, at the latest after 15 minutes: here as it is opened again.
    const context = elsewhere.context();
    await elsewhere.close();
    const opened = await dashboard.newPageIn(context);
    await opened.goto(`${origin}/me`);
    await opened.locator('input[name=password]').waitFor();
    for (const tab of [page, second, opened]) {
      await tab.goto(`${origin}/`);
      await firstPage(tab);
      expect(await tab.evaluate(KEPT)).not.toMatch(/eyJ|access_token|verifier/);
    }
    await second.close();
    await context.close();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
