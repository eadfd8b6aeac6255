import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

/** A name that would be a script if it were taken for HTML. */
const HOSTILE = '<img src=x onerror="window.hacked=1">Lab';

describe.skipIf(!existsSync(PROGRAM))('organizations in a browser', () => {
  let dashboard: Dashboard;
  let organizationId: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('an organization is made, and the context moves there', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/organizations`);
    await page.getByText('An organization owns services').waitFor();
    await page.getByRole('button', { name: 'New organization' }).click();
    expect(await violationsInDialog(page)).toEqual([]);
    await page.getByLabel('Name').fill(HOSTILE);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: HOSTILE, level: 1 }).waitFor();
    organizationId = /\/org\/([0-9a-f-]+)\/organization$/.exec(page.url())?.[1] ?? '';
    await page.getByRole('button', { name: `Acting for ${HOSTILE}` }).waitFor();
    expect(await page.evaluate('window.hacked')).toBe(undefined);
  });

  test('somebody is invited, sees it, and joins', async () => {
    const { page, origin, kethub } = dashboard;
    await kethub.signIn('grace');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('grace@example.org');
    await dialog.getByRole('radio', { name: 'viewer' }).check();
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('cell', { name: 'grace@example.org', exact: true }).waitFor();
    const other = await dashboard.pageOf('grace');
    await other.getByRole('button', { name: /^Acting for/ }).click();
    await other.getByRole('menuitem', { name: 'Organizations, 1 invitation' }).click();
    await other.getByRole('heading', { name: 'Invitations to you' }).waitFor();
    await picture(other, 'invitation');
    await other.getByRole('button', { name: 'Join' }).click();
    await other.waitForURL(`${origin}/org/${organizationId}`);
    await other.getByRole('link', { name: 'Organization', exact: true }).click();
    await other.getByRole('heading', { name: 'Members' }).waitFor();
    expect(await other.getByRole('button', { name: 'Invite somebody' }).count()).toBe(0);
    expect(await other.getByRole('button', { name: 'Delete the organization' }).count()).toBe(0);
    await other.context().close();
  });

  test('a role changes, and the last owner stays', async () => {
    const { page, kethub } = dashboard;
    await page.reload();
    await page.getByRole('combobox', { name: 'Role of grace Test' }).click();
    await page.getByRole('option', { name: 'maintainer' }).click();
    await expect
      .poll(async () => (await kethub.client.listMembers({ organizationId })).map(({ role }) => role))
      .toEqual(['OWNER', 'MAINTAINER']);
    await page.getByRole('combobox', { name: 'Role of ada Test' }).click();
    await page.getByRole('option', { name: 'viewer' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Leave the organization' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
  });

  test('two people who rename it see both names', async () => {
    const { page, kethub } = dashboard;
    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Chemistry');
    await kethub.client.renameOrganization({ organizationId, json: { name: 'Physics' } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Physics').waitFor();
    await picture(page, 'rename-conflict');
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await page.getByRole('heading', { name: 'Chemistry', level: 1 }).waitFor();
    expect(await kethub.client.getOrganization({ organizationId })).toMatchObject({ name: 'Chemistry' });
  });

  test('a member whose role is taken away while the page is open sees the problem, then no button', async () => {
    const { kethub, origin } = dashboard;
    const other = await dashboard.pageOf('grace');
    await other.goto(`${origin}/org/${organizationId}/applications`);
    await other.getByRole('button', { name: 'New application' }).click();
    await other.getByLabel('Name').fill('Notebook');
    const [, grace] = await kethub.client.listMembers({ organizationId });
    await kethub.client.changeMember({ organizationId, userId: grace?.userId ?? '', json: { role: 'VIEWER' } });
    await other.getByRole('button', { name: 'Create' }).click();
    await other.getByRole('alert').waitFor();
    await other.keyboard.press('Escape');
    await expect.poll(() => other.getByRole('button', { name: 'New application' }).count()).toBe(0);
    await other.context().close();
  });

  test('a member who is removed while a page of it is open is told, and goes on alone', async () => {
    const { kethub, origin } = dashboard;
    const other = await dashboard.pageOf('grace');
    await other.goto(`${origin}/org/${organizationId}/applications`);
    await other.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
    const [, grace] = await kethub.client.listMembers({ organizationId });
    await kethub.client.removeMember({ organizationId, userId: grace?.userId ?? '' });
    // The next page that they open is refused.
    await other.getByRole('link', { name: 'Data pools' }).click();
    await other.getByRole('alert').getByText('You are no member of this organization').waitFor();
    await picture(other, 'removed-member');
    expect(await other.getByText('Chemistry').count()).toBe(0);
    await other.getByRole('link', { name: 'Your own services' }).click();
    await other.getByRole('heading', { name: 'Last executions' }).waitFor();
    await other.getByRole('button', { name: /^Acting for/ }).click();
    await other.getByRole('menuitem', { name: 'Organizations', exact: true }).waitFor();
    expect(await other.getByRole('menuitem', { name: 'Chemistry' }).count()).toBe(0);
    await other.context().close();
  });

  test('keys of the page lead nowhere while a dialog is open, and Escape gives the focus back', async () => {
    const { page, origin } = dashboard;
    const address = `${origin}/org/${organizationId}/organization`;
    await page.goto(address);
    const rename = page.getByRole('button', { name: 'Rename' });
    await rename.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rename the organization' });
    await dialog.getByLabel('Name').fill('Half a na');
    await dialog.getByRole('button', { name: 'Save' }).focus();
    for (const key of ['g', 's', '?']) await page.keyboard.press(key);
    expect(page.url()).toBe(address);
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Half a na');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const focused = () => page.evaluate('document.activeElement?.textContent');
    await expect.poll(focused, { timeout: 30_000 }).toBe('Rename');
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const json = { email: 'linus@example.org', role: 'OWNER' as const };
    await dashboard.kethub.client.invite({ organizationId, json });
    const screens = ['/me/organizations', `/org/${organizationId}/organization`];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('what stands in the way of deleting it is named, and nothing is deleted', async () => {
    const { page, origin, kethub } = dashboard;
    const headers = { 'x-organizationid': organizationId };
    const pool = await kethub.client.createDataPool({ json: { name: 'Spectra' }, headers });
    await page.goto(`${origin}/org/${organizationId}/organization`);
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Type its name').fill('Chemistry');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/data pool/i)
      .waitFor();
    await picture(page, 'organization-not-deleted');
    expect(await kethub.client.getOrganization({ organizationId })).toMatchObject({ name: 'Chemistry' });
    await kethub.client.deleteDataPool({ dataPoolId: pool.id, headers });
  });

  test('an organization is deleted by its name', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/org/${organizationId}/organization`);
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    await page.getByLabel('Type its name').fill('Chemistry');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${origin}/me/organizations`);
    await page.getByText('An organization owns services').waitFor();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
