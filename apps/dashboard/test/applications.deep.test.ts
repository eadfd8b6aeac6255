import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '@kethub/server/testing/kethub';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const run = promisify(execFile);
const PROGRAM_OF_SERVICE = 'def run(data: dict, params: dict | None = None):\n    return {"sum": 3}\n';

describe.skipIf(!existsSync(PROGRAM))('applications, profile and tokens in a browser', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('an application is made, and is reached by keys', async () => {
    const { page } = dashboard;
    await page.getByRole('link', { name: 'Applications' }).click();
    await page.getByText('An application is a program that calls services').waitFor();
    await picture(page, 'applications-empty');
    await page.getByRole('button', { name: 'New application' }).click();
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.fill('Notebook <b>of</b> Ada');
    await name.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Notebook <b>of</b> Ada' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('link', { name: 'Notebook <b>of</b> Ada' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Access keys' }).waitFor();
  });

  test('without a published service, it is said how one can be had', async () => {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Subscribe to a service' }).click();
    await page.getByText('No service takes subscriptions yet.').waitFor();
    await page.keyboard.press('Escape');
  });

  test('it subscribes to a service, and the commands call it as they are pasted', async () => {
    const { page, kethub } = dashboard;
    const { service } = await build(kethub.client, 'Sum', { 'src/program.py': PROGRAM_OF_SERVICE });
    const json = { visibility: 'INTERNAL' as const };
    await kethub.client.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json });
    await page.reload();
    await page.getByRole('button', { name: 'Subscribe to a service' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Version' }).inputValue()).toBe('1.0.0');
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'subscribe');
    await dialog.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('cell', { name: 'no limit' }).waitFor();
    await page.getByRole('button', { name: 'Reveal' }).click();
    const secret = page.getByText(/^ket_sk_\w{30,}$/);
    const revealed = (await secret.textContent()) ?? '';
    const commands = (await page.getByLabel('Commands', { exact: true }).textContent()) ?? '';
    const env = { ...process.env, SECRET_ACCESS_KEY: revealed };
    // The input that the page proposes has what the service needs.
    expect(commands).toContain(`-d '{"data":{}}'`);
    const { stdout } = await run('bash', ['-c', commands], { env });
    const [status = '', result = ''] = stdout.split('\n');
    expect(JSON.parse(status)).toMatchObject({ status: 'SUCCEEDED' });
    expect(JSON.parse(result)).toMatchObject({ sum: 3 });
    await picture(page, 'application');
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByRole('button', { name: 'Reveal' }).waitFor();
    expect(await page.content()).not.toContain(revealed);
  });

  test('a rotated key works beside the one before it, until the overlap ends', async () => {
    const { page, kethub } = dashboard;
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new key pair' }).click();
    await page.getByText(/^ends in/).waitFor();
    const [application] = await kethub.client.listApplications();
    expect(application?.accessKeys.map(({ expiresAt }) => expiresAt === null)).toEqual([true, false]);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByLabel('At once').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new key pair' }).click();
    await page.getByText(/^ends in/).waitFor({ state: 'detached' });
    const [renewed] = await kethub.client.listApplications();
    expect(renewed?.accessKeys).toHaveLength(1);
  });

  test('a problem stands at its field', async () => {
    const { page } = dashboard;
    await page.goto(`${dashboard.origin}/me/profile`);
    await page.getByLabel('Home page').fill('no address');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByLabel('Home page').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Home page').fill('https://example.org/ada');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByLabel('Home page').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await dashboard.kethub.client.getMe()).toMatchObject({ homepage: null });
  });

  test('a token is shown once, works, and is deleted', async () => {
    const { page, origin } = dashboard;
    await page.getByRole('link', { name: 'Access tokens' }).click();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.getByLabel('Last day').fill('2999-12-31');
    await dialog.getByRole('button', { name: 'Make the token' }).click();
    const value = (await dialog.getByLabel('Token', { exact: true }).textContent()) ?? '';
    expect(value).toMatch(/^ket_pat_/);
    const me = (): Promise<Response> => fetch(`${origin}/api/me`, { headers: { 'x-auth-token': value } });
    expect((await me()).status).toBe(200);
    await picture(page, 'token-shown');
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('after 2999-12-31').waitFor();
    expect(await page.content()).not.toContain(value);
    await page.getByRole('button', { name: 'Delete the token laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('None yet. Make one for each machine').waitFor();
    expect((await me()).status).toBe(401);
  });

  test('a viewer of an organization sees nothing that would be refused', async () => {
    const { kethub, origin } = dashboard;
    const { id } = await kethub.client.createOrganization({ json: { name: 'Lab' } });
    const grace = await kethub.signIn('grace');
    const json = { email: 'grace@example.org', role: 'VIEWER' as const };
    const invitation = await kethub.client.invite({ organizationId: id, json });
    await grace.client.acceptInvitation({ invitationId: invitation.id });
    const headers = { 'x-organizationid': id };
    const application = await kethub.client.createApplication({ json: { name: 'Of the lab' }, headers });
    const page = await dashboard.pageOf('grace');
    await page.goto(`${origin}/org/${id}/applications`);
    await page.getByRole('link', { name: 'Of the lab' }).waitFor();
    expect(await page.getByText('New application').count()).toBe(0);
    await page.goto(`${origin}/org/${id}/applications/${application.id}`);
    await page.getByRole('heading', { name: 'Access keys' }).waitFor();
    const buttons = await page.locator('main button').evaluateAll((all) => all.map((one) => one.textContent));
    // A viewer may read the subscriptions, and so their templates.
    expect(buttons.filter((text) => text !== '')).toEqual(["Templates for Camunda's modeler"]);
    await page.context().close();
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const [application] = await dashboard.kethub.client.listApplications();
    const screens = ['/me/applications', `/me/applications/${application?.id}`, '/me/profile', '/me/tokens'];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('it unsubscribes, and is deleted by its name', async () => {
    const { page, kethub, origin } = dashboard;
    const [application] = await kethub.client.listApplications();
    await page.goto(`${origin}/me/applications/${application?.id}`);
    await page.getByRole('button', { name: 'Unsubscribe from Sum' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('None yet. With a subscription').waitFor();
    await page.getByRole('button', { name: 'Delete the application' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type its name').fill(application?.name ?? '');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('An application is a program that calls services').waitFor();
    expect(await kethub.client.listApplications()).toEqual([]);
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
