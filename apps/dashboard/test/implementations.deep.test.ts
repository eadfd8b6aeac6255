import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const README = '# Adder\n\nIt **adds**. <img src=x onerror="alert(1)"> [bad](javascript:alert(1))\n';
const CODE = 'def run(data: dict) -> dict:\n    return {"sum": sum(data["values"])}\n';

describe.skipIf(!existsSync(PROGRAM))('implementations in a browser', () => {
  let dashboard: Dashboard;
  let id: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('one is created, and shows what to type', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/implementations`);
    await page.getByRole('button', { name: 'New implementation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Not Good');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must have lower-case letters').waitFor();
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('adder');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('git remote add kethub').waitFor();
    id = /implementations\/([0-9a-f-]+)$/.exec(page.url())?.[1] ?? '';
    await picture(page, 'implementation-empty');
  });

  test('files are uploaded as commits; the README runs no script', async () => {
    const { page } = dashboard;
    const upload = async (name: string, content: string, message: string): Promise<void> => {
      await page.getByRole('button', { name: 'Upload files' }).click();
      const dialog = page.getByRole('dialog');
      const chooser = page.waitForEvent('filechooser');
      await dialog.getByLabel('Files').click();
      await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
      await dialog.getByLabel('Message').fill(message);
      await dialog.getByRole('button', { name: 'Commit' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('link', { name, exact: true }).waitFor();
    };
    await upload('README.md', README, 'Say what it does');
    await page.getByRole('heading', { name: 'Adder', level: 3 }).waitFor();
    expect(await page.locator('section img').count()).toBe(0);
    await upload('requirements.txt', '# none\n', 'Name its packages');
    await picture(page, 'implementation-code');
  });

  test('history, a change and a file are shown', async () => {
    const { page, kethub, origin } = dashboard;
    const body = new FormData();
    body.set('message', 'Add the <b>program</b>');
    body.append('files', new Blob([CODE]), 'src/program.py');
    await kethub.client.commitToImplementation({ implementationId: id, body });
    await page.goto(`${origin}/me/implementations/${id}`);
    await page.getByRole('link', { name: 'src/' }).click();
    await page.getByRole('link', { name: 'program.py' }).click();
    await page.getByLabel('src/program.py', { exact: true }).getByText('def run(data: dict)').waitFor();
    await picture(page, 'implementation-file');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('link', { name: 'Add the <b>program</b>' }).click();
    await page.getByLabel('Changes').getByText('+def run(data: dict)').waitFor();
    await picture(page, 'implementation-commit');
  });

  test('a service is made of it', async () => {
    const { page, origin, kethub } = dashboard;
    await page.goto(`${origin}/me/implementations/${id}`);
    await page.getByRole('button', { name: 'Create a service' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create and build' }).click();
    await page.waitForURL(/\/services\/[0-9a-f-]+\/versions$/);
    expect((await kethub.client.listServices({})).map(({ name }) => name)).toEqual(['adder']);
  });

  test('settings change it, and it is deleted by its name', async () => {
    const { page, origin, kethub } = dashboard;
    const screens = ['', '/commits', '/settings', '/file?path=src/program.py'];
    const all = ['/me/implementations', ...screens.map((one) => `/me/implementations/${id}${one}`)];
    expect(await dashboard.barriersOn(all)).toEqual([]);
    await page.goto(`${origin}/me/implementations/${id}/settings`);
    await page.getByRole('combobox', { name: 'Visibility' }).click();
    await page.getByRole('option', { name: /Public/ }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await kethub.client.getImplementation({ implementationId: id })).visibility)
      .toBe('PUBLIC');
    await page.getByRole('button', { name: 'Delete the implementation' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type its name: adder').fill('adder');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(/\/implementations$/);
    await expect.poll(async () => (await kethub.client.listImplementations({})).length).toBe(0);
  }, 180_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
