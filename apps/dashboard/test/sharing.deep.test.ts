import { existsSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, type TestKethub } from '@kethub/server/testing/kethub';
import { asFile, bpmn, start } from '@kethub/server/testing/workflows';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const FILES = { 'src/program.py': 'def run(qubits: int) -> dict:\n    return {"states": 2 ** qubits}\n' };

const { chain, end, file } = bpmn;

describe.skipIf(!existsSync(PROGRAM))('sharing in a browser', () => {
  let dashboard: Dashboard;
  let kethub: TestKethub;
  let serviceId: string;
  let grace: Awaited<ReturnType<TestKethub['signIn']>>;
  let other: Page;
  beforeAll(async () => {
    dashboard = await openDashboard();
    ({ kethub } = dashboard);
    serviceId = (await build(kethub.client, 'Solver <i>x</i>', FILES)).service.id;
    grace = await kethub.signIn('grace');
    other = await dashboard.pageOf('grace');
  }, 240_000);
  afterAll(() => dashboard?.close());
  const shares = () => kethub.client.listShares({ serviceId });

  test('a service is shared with a person for some time, typed in local time', async () => {
    const { page, origin } = dashboard;
    await other.getByRole('link', { name: 'Shared with you' }).click();
    await other.getByText('Nothing yet. Whoever owns a service can share it').waitFor();
    await page.goto(`${origin}/me/services/${serviceId}`);
    await page.getByRole('link', { name: 'Sharing' }).click();
    await page.getByText('Not shared yet.').waitFor();
    await page.getByRole('button', { name: 'Share the service' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Person' }).fill('grac');
    await page.getByRole('option', { name: 'grace Test' }).click();
    await dialog.getByLabel('From').fill('2999-01-01T10:00');
    await dialog.getByLabel('Until').fill('2998-01-01T10:00');
    await dialog.getByText('This is before it starts.').waitFor();
    await dialog.getByLabel('Until').fill('2999-12-31T10:00');
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'share');
    await dialog.getByRole('button', { name: 'Share' }).click();
    await page.getByText('Not yet', { exact: true }).waitFor();
    const [share] = await shares();
    const utc = (await page.evaluate('new Date("2999-12-31T10:00").toISOString()')) as string;
    expect(share?.endDate).toBe(utc.slice(0, 19).replace('T', ' '));
  });

  test('an organization is found by its whole name only', async () => {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'Share the service' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Organization', { exact: true }).click();
    await dashboard.kethub.client.createOrganization({ json: { name: 'Bell Labs' } });
    await dialog.getByLabel('Organization', { exact: false }).last().fill('Bell');
    await dialog.getByText('No organization has exactly this name or id.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Share' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Organization', { exact: false }).last().fill('bell labs');
    await dialog.getByText('Found Bell Labs').waitFor();
    await page.keyboard.press('Escape');
    expect(await shares()).toHaveLength(1);
  });

  test('dates typed in one time zone are the same moment in another', async () => {
    const { page, origin } = dashboard;
    const browser = page.context().browser();
    if (!browser) throw new Error('The page has a browser');
    const dateIn = async (timezoneId: string, typed?: string): Promise<string> => {
      const context = await browser.newContext({ timezoneId, storageState: await page.context().storageState() });
      const there = await dashboard.newPageIn(context);
      await there.goto(`${origin}/me/services/${serviceId}/sharing`);
      await there.getByRole('button', { name: 'Change the dates of grace Test' }).click();
      const until = there.getByRole('dialog').getByLabel('Until');
      if (typed !== undefined) {
        await until.fill(typed);
        await there.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await there.getByRole('dialog').waitFor({ state: 'detached' });
        await there.getByRole('button', { name: 'Change the dates of grace Test' }).click();
      }
      const shown = await until.inputValue();
      await picture(there, `share-in-${timezoneId}`);
      await context.close();
      return shown;
    };
    // Half past four in the morning in UTC; the day before in New York, where summer time has begun.
    expect(await dateIn('Asia/Kolkata', '2999-04-01T10:00')).toBe('2999-04-01T10:00');
    expect((await shares())[0]?.endDate).toBe('2999-04-01 04:30:00');
    expect(await dateIn('America/New_York')).toBe('2999-04-01T00:30');
    expect(await dateIn('Pacific/Honolulu')).toBe('2999-03-31T18:30');
  });

  test('as soon as it is active, the recipient runs it and sees neither source nor versions to change', async () => {
    const { page, origin } = dashboard;
    await page.getByRole('button', { name: 'Change the dates of grace Test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await other.goto(`${origin}/me/shared`);
    await other.getByRole('link', { name: 'Solver <i>x</i>' }).click();
    await other.getByText('from ada Test').waitFor();
    expect(await other.locator('main button').allTextContents()).toEqual([]);
    await other.getByRole('link', { name: 'Run', exact: true }).click();
    await other.getByLabel(/^qubits/).fill('3');
    await other.keyboard.press('Control+Enter');
    await other.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await picture(other, 'shared-run');
    expect(await grace.client.listOwnedExecutions()).toHaveLength(1);
    await other.getByRole('link', { name: 'Full page' }).click();
    await other.getByRole('link', { name: 'Run again' }).click();
    await expect.poll(() => other.getByLabel(/^qubits/).inputValue(), { timeout: 30_000 }).toBe('3');
    expect(new URL(other.url()).pathname).toBe(`/me/shared/${serviceId}/run`);
  });

  test('a workflow has no signature: its recipient has a form of what its document says', async () => {
    const { origin } = dashboard;
    const { client } = kethub;
    const schema = { type: 'object', properties: { count: { type: 'integer', maximum: 9 } }, required: ['count'] };
    const xml = file([start(schema), end('end'), chain('start', 'end')]);
    const { id } = await client.createService({ body: workflowForm({ name: 'Counts', source: asFile(xml) }) });
    await client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const { id: recipient } = await grace.client.getMe();
    await client.createShare({ serviceId: id, json: { recipient: { type: 'USER', id: recipient } } });
    await other.goto(`${origin}/me/shared/${id}/run`);
    await other.getByLabel(/^count/).fill('10');
    await other.getByRole('button', { name: 'Run', exact: true }).click();
    // The platform judges the input by the same document, and its complaint stands at the field.
    await expect.poll(() => other.getByLabel(/^count/).getAttribute('aria-invalid'), { timeout: 30_000 }).toBe('true');
    await picture(other, 'shared-workflow');
    await other.getByLabel(/^count/).fill('9');
    await other.getByRole('button', { name: 'Run', exact: true }).click();
    await other.getByText('Succeeded').waitFor({ timeout: 60_000 });
  });

  test('an application of the recipient subscribes to it once it is published for that', async () => {
    const { origin } = dashboard;
    const json = { visibility: 'INTERNAL' as const };
    await kethub.client.publishServiceVersion({ serviceId, version: '1.0.0', json });
    const application = await grace.client.createApplication({ json: { name: 'Notebook' } });
    await other.goto(`${origin}/me/applications/${application.id}`);
    await other.getByRole('button', { name: 'Subscribe to a service' }).click();
    await other.getByRole('dialog').getByRole('combobox', { name: 'Service' }).click();
    await other.getByText('Shared with you', { exact: true }).last().waitFor();
    await other.getByRole('option', { name: 'Solver <i>x</i>' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Subscribe' }).click();
    await other.getByText('shared with you', { exact: true }).waitFor();
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    await kethub.client.createOrganization({ json: { name: 'Lab' } });
    const shared = await build(grace.client, 'Her own', FILES);
    const me = await kethub.client.getMe();
    const json = { recipient: { type: 'USER' as const, id: me.id } };
    await grace.client.createShare({ serviceId: shared.service.id, json });
    const screens = [
      `/me/services/${serviceId}/sharing`,
      '/me/shared',
      `/me/shared/${shared.service.id}`,
      `/me/shared/${shared.service.id}/run`,
    ];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('a viewer of an organization sees the shares, and no button that would be refused', async () => {
    const { origin } = dashboard;
    const [lab] = await kethub.client.listOrganizations();
    const id = lab?.id ?? '';
    const json = { email: 'grace@example.org', role: 'VIEWER' as const };
    const invitation = await kethub.client.invite({ organizationId: id, json });
    await grace.client.acceptInvitation({ invitationId: invitation.id });
    await kethub.client.transferService({ serviceId, json: { type: 'ORGANIZATION', id } });
    await other.goto(`${origin}/org/${id}/services/${serviceId}/sharing`);
    await other.getByRole('cell', { name: 'grace Test' }).first().waitFor();
    expect(await other.locator('main button').allTextContents()).toEqual([]);
    await dashboard.page.goto(`${origin}/org/${id}/services/${serviceId}/sharing`);
    await dashboard.page.getByRole('button', { name: 'End the share with grace Test' }).click();
    await dashboard.page.getByRole('dialog').getByRole('button', { name: 'End the share' }).click();
    await dashboard.page.getByText('Not shared yet.').waitFor();
    await other.goto(`${origin}/me/shared/${serviceId}`);
    await other.getByRole('alert').waitFor();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
