import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

/** Bytes of a file whose upload takes long enough to be stopped. */
const LARGE = 1024 ** 3;

describe.skipIf(!existsSync(PROGRAM))('data pools in a browser', () => {
  let dashboard: Dashboard;
  let folder: string;
  let poolId: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-files-'));
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(async () => {
    await dashboard?.close();
    rmSync(folder, { recursive: true });
  });
  const files = async () =>
    (await dashboard.kethub.client.listDataPoolFiles({ dataPoolId: poolId })).map((one) => one.name);

  test('a pool is made, and takes files', async () => {
    const { page, kethub } = dashboard;
    await page.getByRole('link', { name: 'Data pools' }).click();
    await page.getByText('A data pool holds files that executions read').waitFor();
    await picture(page, 'data-pools-empty');
    await page.getByRole('button', { name: 'New data pool' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Graphs');
    await dialog.getByLabel('Description').fill('Of the paper.');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'Graphs' }).waitFor();
    const [pool] = await kethub.client.listDataPools();
    poolId = pool?.id ?? '';
    const names = ['<b>a & b.txt', 'empty.json'];
    for (const name of names) writeFileSync(path.join(folder, name), name === 'empty.json' ? '' : 'first');
    await page.getByLabel('Files to upload').setInputFiles(names.map((name) => path.join(folder, name)));
    for (const name of names) await page.getByRole('cell', { name, exact: true }).waitFor();
    expect((await files()).toSorted()).toEqual(names.toSorted());
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download <b>a & b.txt' }).click();
    expect((await download).suggestedFilename()).toMatch(/a & b\.txt$/);
  });

  test('a large upload shows how far it is, and is stopped', async () => {
    const { page } = dashboard;
    const large = path.join(folder, 'large.bin');
    writeFileSync(large, '');
    truncateSync(large, LARGE);
    await page.getByLabel('Files to upload').setInputFiles(large);
    await page.getByText(/MB of 1\.0 GB/).waitFor();
    await picture(page, 'upload');
    await page.getByRole('button', { name: 'Stop large.bin' }).click();
    await page.getByText('large.bin').waitFor({ state: 'detached' });
    expect(await files()).not.toContain('large.bin');
  });

  test('an upload that fails says why, and is tried again', async () => {
    const { page } = dashboard;
    await page.route('**/files/later.txt', (route) => route.abort());
    writeFileSync(path.join(folder, 'later.txt'), 'later');
    await page.getByLabel('Files to upload').setInputFiles(path.join(folder, 'later.txt'));
    await page.getByText('No connection').waitFor();
    await page.unroute('**/files/later.txt');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('cell', { name: 'later.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete later.txt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('cell', { name: 'later.txt', exact: true }).waitFor({ state: 'detached' });
  });

  test('a member is found by name, sees no button that would be refused, is promoted, and leaves', async () => {
    const { page, kethub, origin } = dashboard;
    await kethub.signIn('grace');
    await page.getByRole('button', { name: 'Add a member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Person' }).fill('grac');
    await page.getByRole('option', { name: 'grace Test' }).click();
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'add-member');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('cell', { name: 'grace Test', exact: true }).waitFor();
    const other = await dashboard.pageOf('grace');
    await other.goto(`${origin}/me/data-pools/${poolId}`);
    await other.getByRole('cell', { name: 'empty.json', exact: true }).waitFor();
    const buttons = async () => (await other.locator('main button').allTextContents()).filter((text) => text !== '');
    expect(await buttons()).toEqual(['Download', 'Download', 'Leave the data pool']);
    await page.getByRole('combobox', { name: 'Role of grace Test' }).click();
    await page.getByRole('option', { name: 'changes files' }).click();
    await expect
      .poll(async () => (await kethub.client.listDataPoolMembers({ dataPoolId: poolId }))[0]?.role)
      .toBe('MAINTAINER');
    await other.reload();
    await other.getByRole('button', { name: 'Choose files' }).waitFor();
    await other.getByRole('button', { name: 'Leave the data pool' }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await other.getByText('A data pool holds files that executions read').waitFor();
    expect(await kethub.client.listDataPoolMembers({ dataPoolId: poolId })).toEqual([]);
    await other.context().close();
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    expect(await dashboard.barriersOn(['/me/data-pools', `/me/data-pools/${poolId}`])).toEqual([]);
  }, 180_000);

  test('it is deleted by its name', async () => {
    const { page, kethub } = dashboard;
    await page.getByRole('button', { name: 'Delete the data pool' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type its name').fill('Graphs');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('A data pool holds files that executions read').waitFor();
    expect(await kethub.client.listDataPools()).toEqual([]);
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
