import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '@kethub/server/testing/kethub';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const FILES = { 'src/program.py': 'import os\ndef run(data=None):\n    return {"mode": os.environ["MODE"]}\n' };

describe.skipIf(!existsSync(PROGRAM))('configuration, retirement and on-premise services in a browser', () => {
  let dashboard: Dashboard;
  let serviceId: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    serviceId = (await build(dashboard.kethub.client, 'Solver', FILES)).service.id;
  }, 240_000);
  afterAll(() => dashboard?.close());
  const version = () => dashboard.kethub.client.getServiceVersion({ serviceId, version: '1.0.0' });

  test('the configuration of a draft is changed, and complaints stand at their fields', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${serviceId}/versions`);
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByLabel('Memory in GB').fill('much');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByLabel('Name of variable 1').fill('PATH');
    await page.getByLabel('Value of variable 1').fill('fast');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This is not a number.').waitFor();
    await page.getByLabel('Memory in GB').fill('0.5');
    await page.getByRole('button', { name: 'Save' }).click();
    const name = page.getByLabel('Name of variable 1');
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'configuration-complaint');
    await name.fill('MODE');
    const warmPods = page.getByLabel('Pods that wait for executions');
    await warmPods.fill('11');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => warmPods.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'configuration-warm-pods');
    await warmPods.fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: '1.0.0', exact: true }).waitFor();
    const configuration = { memoryGb: 0.5, warmPods: 2, environment: { MODE: 'fast' } };
    expect(await version()).toMatchObject({ configuration });
  });

  test('a change that somebody else has made in the meantime is not overwritten', async () => {
    const { page, kethub } = dashboard;
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByLabel('CPU cores').fill('2');
    const json = { runtime: 'PYTHON_TEMPLATE' as const, cpus: 1, memoryGb: 0.25, runTimeSeconds: 60 };
    await kethub.client.configureServiceVersion({ serviceId, version: '1.0.0', json });
    await page.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else has changed this' });
    await conflict.getByRole('row', { name: 'Memory in GB' }).waitFor();
    expect(await conflict.getByRole('row', { name: 'Memory in GB' }).textContent()).toContain('saved now: 0.25');
    expect(await conflict.getByRole('row', { name: 'Run time' }).textContent()).toContain('saved now: 60');
    await picture(page, 'configuration-conflict');
    expect(await version()).toMatchObject({ configuration: { cpus: 1, memoryGb: 0.25 } });
    expect(await page.getByLabel('CPU cores').inputValue()).toBe('2');
    await conflict.getByRole('button', { name: 'Take what is saved' }).click();
    expect(await page.getByLabel('CPU cores').inputValue()).toBe('1');
    await page.getByLabel('CPU cores').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: '1.0.0', exact: true }).waitFor();
    expect(await version()).toMatchObject({ configuration: { cpus: 3, memoryGb: 0.25 } });
  });

  test('a retirement is announced in local time, moved and withdrawn', async () => {
    const { page, kethub, origin } = dashboard;
    const json = { visibility: 'INTERNAL' as const };
    await kethub.client.publishServiceVersion({ serviceId, version: '1.0.0', json });
    await page.goto(`${origin}/me/services/${serviceId}/versions`);
    await page.getByRole('button', { name: 'Retire', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Cannot be started from').fill('2999-12-31T12:30');
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'retire');
    await dialog.getByRole('button', { name: 'Announce' }).click();
    await page.getByText('Cannot be started any more from').waitFor();
    const utc = (await page.evaluate('new Date("2999-12-31T12:30").toISOString()')) as string;
    const { retirement } = await version();
    expect(retirement?.sunset).toBe(utc.replace('T', ' ').replace(/\.000Z$/, ''));
    await page.getByRole('button', { name: 'Withdraw the retirement' }).click();
    await dialog.getByRole('button', { name: 'Withdraw the retirement' }).click();
    await page.getByText('Cannot be started any more from').waitFor({ state: 'detached' });
    expect(await version()).not.toHaveProperty('retirement');
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByText('A published version never changes.').waitFor();
  });

  test('a service that runs elsewhere is made, and moves', async () => {
    const { page, kethub, origin } = dashboard;
    await page.goto(`${origin}/me/services/new`);
    await page.getByRole('link', { name: 'Runs elsewhere' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Remote solver');
    await page.getByLabel('Address').fill('https://quantum.example.org/?x=1');
    await page.getByLabel('User name').fill('gateway');
    await page.getByLabel('Password', { exact: true }).fill('only the gateway knows');
    await page.getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => page.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Address').fill('https://quantum.example.org/solver');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'Configuration' }).click();
    expect(await page.content()).not.toContain('only the gateway knows');
    expect(await page.getByRole('link', { name: 'Run', exact: true }).count()).toBe(0);
    await page.getByLabel('Address').fill('https://quantum.example.org/solver/v2');
    await page.getByRole('button', { name: 'Save' }).click();
    const [remote] = await kethub.client.listServices();
    const target = { url: 'https://quantum.example.org/solver/v2', hasCredentials: true };
    await expect
      .poll(() => kethub.client.getServiceVersion({ serviceId: remote?.id ?? '', version: '1.0.0' }))
      .toMatchObject({ target });
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const { service } = await build(dashboard.kethub.client, 'Draft', FILES);
    const [, remote] = await dashboard.kethub.client.listServices();
    const screens = [
      '/me/services/new/on-premise',
      `/me/services/${serviceId}/versions`,
      `/me/services/${serviceId}/versions/1.0.0`,
      `/me/services/${service.id}/versions/1.0.0`,
      `/me/services/${remote?.id}/versions/1.0.0`,
    ];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('a service is deleted by its name', async () => {
    const { page, kethub, origin } = dashboard;
    const [draft] = await kethub.client.listServices();
    await page.goto(`${origin}/me/services/${draft?.id}`);
    await page.getByRole('button', { name: 'Delete the service' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type its name').fill('Draft');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Services', level: 1 }).waitFor();
    expect((await kethub.client.listServices()).map(({ id }) => id)).not.toContain(draft?.id);
  });

  test('a viewer of an organization sees the configuration, and no button that would be refused', async () => {
    const { kethub, origin } = dashboard;
    const { id } = await kethub.client.createOrganization({ json: { name: 'Lab' } });
    const grace = await kethub.signIn('grace');
    const json = { email: 'grace@example.org', role: 'VIEWER' as const };
    const invitation = await kethub.client.invite({ organizationId: id, json });
    await grace.client.acceptInvitation({ invitationId: invitation.id });
    await kethub.client.transferService({ serviceId, json: { type: 'ORGANIZATION', id } });
    const page = await dashboard.pageOf('grace');
    await page.goto(`${origin}/org/${id}/services/${serviceId}/versions`);
    await page.getByRole('link', { name: 'Configuration' }).waitFor();
    const buttons = await page.locator('main button').allTextContents();
    expect(buttons.filter((text) => text !== '')).toEqual(['Build log']);
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByText('Run time at most').waitFor();
    await page.goto(`${origin}/org/${id}/services/new/on-premise`);
    await page.getByText('Maintainers and owners can make services here.').waitFor();
    await page.context().close();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
