import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zip } from '@kethub/server/testing/zip';
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
    await page.getByRole('heading', { name: 'Adder', level: 3 }).waitFor();
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

  test('a ZIP becomes the whole content of a branch, as one commit', async () => {
    const { page, kethub, origin } = dashboard;
    const other = await kethub.client.createImplementation({ json: { name: 'zipped' } });
    const path = { implementationId: other.id };
    const body = new FormData();
    body.append('files', new Blob(['old']), 'old.txt');
    await kethub.client.commitToImplementation({ ...path, body });
    await page.goto(`${origin}/me/implementations/${other.id}`);
    const commit = async (buffer: Buffer) => {
      await page.getByRole('button', { name: 'Upload files' }).click();
      const dialog = page.getByRole('dialog');
      const chooser = page.waitForEvent('filechooser');
      await dialog.getByLabel('Files').click();
      await (await chooser).setFiles({ name: 'all.zip', mimeType: 'application/zip', buffer });
      await dialog.getByRole('radio', { name: /whole content/ }).check();
      await dialog.getByRole('button', { name: 'Commit' }).click();
      return dialog;
    };
    const made = await zip({ 'src/program.py': CODE, 'notes/a.txt': 'a' });
    await (await commit(Buffer.from(await made.arrayBuffer()))).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'notes/' }).waitFor();
    const tree = await kethub.client.readImplementationTree(path);
    expect(tree.entries.map(({ name }) => name)).toEqual(['notes', 'src']);
    expect(await kethub.client.listImplementationCommits(path)).toHaveLength(2);
    // Somebody else has pushed after the page was read.
    const later = new FormData();
    later.append('files', new Blob(['late']), 'late.txt');
    await kethub.client.commitToImplementation({ ...path, body: later });
    const dialog = await commit(Buffer.from(await (await zip({ 'only.txt': 'only' })).arrayBuffer()));
    await dialog.getByRole('alert').waitFor();
    expect((await kethub.client.readImplementationTree(path)).entries.map(({ name }) => name)).toContain('late.txt');
    await page.keyboard.press('Escape');
    await kethub.client.deleteImplementation(path);
  });

  test('a service is made of it', async () => {
    const { page, origin, kethub } = dashboard;
    await page.goto(`${origin}/me/implementations/${id}`);
    await page.getByRole('button', { name: 'Create a service' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /Tags such as/ }).check();
    await dialog.getByRole('checkbox', { name: /Publish each version/ }).check();
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'implementation-create-service');
    await dialog.getByRole('button', { name: 'Create and build' }).click();
    await page.waitForURL(/\/services\/[0-9a-f-]+\/versions$/);
    const [made] = await kethub.client.listServices({});
    expect(made?.name).toBe('adder');
    expect(await kethub.client.getServiceSource({ serviceId: made?.id ?? '' })).toMatchObject({
      on: 'TAG',
      pattern: 'v*',
      action: 'PUBLISH',
    });
    await page.goto(`${origin}/me/implementations/${id}/services`);
    const row = page.getByRole('row', { name: /adder/ });
    await row.getByText('1.0.0').waitFor();
    await row.getByRole('link', { name: /^[0-9a-f]{8}$/ }).click();
    await page.waitForURL(/\/commits\/[0-9a-f]{40}$/);
  });

  test('people are invited, branches protected, and two owners do not overwrite each other', async () => {
    const { page, origin, kethub } = dashboard;
    const path = { implementationId: id };
    await page.goto(`${origin}/me/implementations/${id}/settings`);
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('bob@example.org');
    await dialog.getByRole('radio', { name: /viewer/ }).check();
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('bob@example.org').waitFor();
    expect(await kethub.client.listImplementationInvitations(path)).toMatchObject([{ role: 'VIEWER' }]);
    await kethub.signIn('bob');
    const bob = await dashboard.pageOf('bob');
    await bob.goto(`${origin}/me/implementations`);
    await bob.getByRole('region', { name: 'Invitations to you' }).getByText('adder').waitFor();
    await picture(bob, 'implementation-invited');
    await bob.getByRole('button', { name: 'Accept' }).click();
    await bob.waitForURL(new RegExp(`/me/implementations/${id}$`));
    expect(await kethub.client.listImplementationMembers(path)).toMatchObject([{ role: 'VIEWER' }]);
    await bob.getByRole('link', { name: 'Settings' }).click();
    await bob.getByText('only an owner changes settings').waitFor();
    await bob.getByRole('button', { name: 'Leave the implementation' }).click();
    await bob.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await bob.waitForURL(/\/me\/implementations$/);
    expect(await kethub.client.listImplementationMembers(path)).toEqual([]);
    await page.reload();
    await page.getByLabel('Other protected branches').fill('release/*\nre lease');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('fits no branch').first().waitFor();
    await page.getByLabel('Other protected branches').fill('release/*');
    await kethub.client.updateImplementation({ ...path, json: { description: 'Changed elsewhere' } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: /Changed elsewhere/ }).waitFor();
    await picture(page, 'implementation-settings-conflict');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await expect
      .poll(async () => (await kethub.client.getImplementation(path)).protection)
      .toEqual({ defaultBranch: true, patterns: ['release/*'] });
  });

  test('an import that cannot work says so, and shows no credential', async () => {
    const { page, origin, kethub } = dashboard;
    await page.goto(`${origin}/me/implementations`);
    await page.getByRole('button', { name: 'Import a repository' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('http://example.org/a.git');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('must begin with https://').waitFor();
    await dialog.getByLabel('Address').fill('https://127.0.0.1:1/lab/Elsewhere.git');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('lies in a private network').waitFor();
    await dialog.getByLabel('Address').fill('https://localhost:1/lab/Elsewhere.git');
    await dialog.getByLabel('Token or password there').fill('very-secret-token');
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'implementation-import');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page
      .getByRole('region', { name: 'Import' })
      .getByText('Failed', { exact: true })
      .waitFor({ timeout: 60_000 });
    await picture(page, 'implementation-import-failed');
    expect(await page.content()).not.toContain('very-secret-token');
    const found = (await kethub.client.listImplementations({})).find(({ name }) => name === 'elsewhere');
    await kethub.client.deleteImplementation({ implementationId: found?.id ?? '' });
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
