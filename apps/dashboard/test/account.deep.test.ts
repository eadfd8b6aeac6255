import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const FILES = {
  'src/program.py': `
def run(shots: int = 100):
    return {
        "counts": {"00": shots, "11": 488},
        "circuit": "OPENQASM 3.0;\\nqubit[2] q; // <b>Bell</b>\\n",
        "graph": {"nodes": ["a", "<script>window.hacked=1</script>"], "edges": [[0, 1]]} if shots < 0 else
            {"nodes": ["a", "<script>window.hacked=1</script>"], "edges": [["a", "<script>window.hacked=1</script>", 0.5]]},
    }
`,
};
/** A PNG of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe.skipIf(!existsSync(PROGRAM))('comparison, picture and end of an account in a browser', () => {
  let dashboard: Dashboard;
  let serviceId: string;
  beforeAll(async () => {
    dashboard = await openDashboard({ KETHUB_ADMINISTRATORS: 'ada' });
    serviceId = (await deploy(dashboard.kethub.client, 'Bell', FILES)).service.id;
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('two executions are compared, and graph and program are shown', async () => {
    const { page, kethub, origin } = dashboard;
    const headers = { prefer: 'wait=60' };
    const first = await kethub.client.startJob({ serviceId, json: { shots: 512 }, headers });
    const second = await kethub.client.startJob({ serviceId, json: { shots: 500 }, headers });
    await page.goto(`${origin}/me/executions/${first.id}`);
    await page.getByRole('img', { name: 'Graph of 2 nodes and 1 edges' }).waitFor();
    await page.locator('.tokens .comment').getByText('<b>Bell</b>').waitFor();
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('dialog').getByLabel('Execution').click();
    await page.getByRole('option').first().click();
    await page.waitForURL(`${origin}/me/executions/compare?first=${first.id}&second=${second.id}`);
    const row = page.getByRole('row', { name: /^counts\.00/ });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).toEqual(['counts.00', '512', '500']);
    expect(await dashboard.barriersOn([`/me/executions/compare?first=${first.id}&second=${second.id}`])).toEqual([]);
  }, 120_000);

  test('a picture is chosen, shown to others, and taken away', async () => {
    const { page, kethub, origin } = dashboard;
    await page.goto(`${origin}/me/profile`);
    const buffer = Buffer.from('no picture');
    await page.getByLabel('File of the picture').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await page.getByRole('alert').waitFor();
    const file = { name: 'ada.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') };
    await page.getByLabel('File of the picture').setInputFiles(file);
    await page.getByRole('img', { name: 'Your profile' }).waitFor();
    const { id } = await kethub.client.getMe();
    expect((await kethub.client.getProfileImage.response({ id })).status).toBe(200);
    expect(await dashboard.barriersOn(['/me/profile'])).toEqual([]);
    await page.getByRole('button', { name: 'Take it away' }).click();
    await page.getByRole('img', { name: 'Your profile' }).waitFor({ state: 'detached' });
  }, 120_000);

  test('what stands in the way of deleting the account is named, and nothing is deleted', async () => {
    const { page, kethub } = dashboard;
    await page.getByRole('button', { name: 'Delete the account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type its name').fill('ada');
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await dialog.getByText('Still the only owner').waitFor();
    await picture(page, 'delete-account');
    expect(await kethub.client.getService({ serviceId })).toMatchObject({ name: 'Bell' });
  });

  test('a service is given to an organization, and its page moves there', async () => {
    const { page, kethub, origin } = dashboard;
    const { id } = await kethub.client.createOrganization({ json: { name: 'Lab' } });
    await page.goto(`${origin}/me/services/${serviceId}`);
    await page.getByRole('button', { name: 'Give the service away' }).click();
    await page.getByRole('combobox', { name: 'New owner' }).click();
    await page.getByRole('option', { name: 'Lab' }).click();
    expect(await violationsInDialog(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Give it away' }).click();
    await page.waitForURL(`${origin}/org/${id}/services/${serviceId}`);
    await page.getByRole('heading', { name: 'Bell', exact: true }).waitFor();
  });

  test('an account that owns nothing is deleted', async () => {
    const { kethub } = dashboard;
    const { client } = await kethub.signIn('grace');
    const { id } = await client.getMe();
    const page = await dashboard.pageOf('grace');
    await page.getByRole('button', { name: /account of/ }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await page.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByLabel('Type its name').fill('grace');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the account' }).click();
    await expect
      .poll(async () => (await kethub.client.getUsers({ json: { ids: [id] } })).notFound, { timeout: 30_000 })
      .toBe(id);
    await page.context().close();
  });

  test('somebody who is switched off while signed in is notified', async () => {
    const { kethub, origin } = dashboard;
    await kethub.signIn('linus');
    const page = await dashboard.pageOf('linus');
    const [linus] = await kethub.client.listRegistrations({ email: 'linus@example.org' });
    await kethub.client.changeRegistration({ id: linus?.id ?? '', json: { enabled: false } });
    await page.goto(`${origin}/me/services`);
    const heading = page.getByRole('heading', { name: 'Your account is switched off' });
    await heading.or(page.locator('input[name=password]')).waitFor();
    await picture(page, 'switched-off');
    await page.context().close();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
