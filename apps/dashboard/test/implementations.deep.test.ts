import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GitClient } from '@kethub/server/testing/git-client';
import { startGitHttpsServer, type GitHttpsServer } from '@kethub/server/testing/git-https';
import { zip } from '@kethub/server/testing/zip';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const README = '# Adder\n\nIt **adds**. <img src=x onerror="alert(1)"> [bad](javascript:alert(1))\n';
const CODE = 'def run(data: dict) -> dict:\n    return {"sum": sum(data["values"])}\n';

describe.skipIf(!existsSync(PROGRAM))('implementations in a browser', () => {
  let dashboard: Dashboard;
  let id: string;
  let client: GitClient;
  let elsewhere: GitHttpsServer;
  beforeAll(async () => {
    client = await GitClient.open();
    elsewhere = await startGitHttpsServer();
    dashboard = await openDashboard({
      KETHUB_IMPORT_NETWORKS: '127.0.0.1',
      KETHUB_IMPORT_CA_FILE: elsewhere.authority,
    });
  }, 240_000);
  afterAll(async () => {
    await dashboard?.close();
    await elsewhere?.close();
    await client?.close();
  });

  /** Serves a repository with this file on the other server. */
  const publish = async (name: string, file: string): Promise<void> => {
    await client.commit(name, { [file]: 'elsewhere\n' });
    const target = path.join(elsewhere.root, `${name}.git`);
    if (!existsSync(target)) await client.run('', 'init', '-q', '--bare', '--initial-branch=main', target);
    await client.run(name, 'push', '-q', '--mirror', target);
  };
  /** Chooses an item of a list that opens. */
  const choose = async (page: Page, list: string, item: RegExp): Promise<void> => {
    await page.getByRole('combobox', { name: list }).click();
    await page.getByRole('option', { name: item }).click();
  };

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

  test('a ZIP becomes the whole content of a branch, as one commit', async () => {
    const { page, kethub, origin } = dashboard;
    const other = await kethub.client.createImplementation({ json: { name: 'zipped' } });
    const path = { implementationId: other.id };
    const body = new FormData();
    body.append('files', new Blob(['old']), 'old.txt');
    await kethub.client.commitToImplementation({ ...path, body });
    await page.goto(`${origin}/me/implementations/${other.id}`);
    const chooseZip = async (files: Readonly<Record<string, string>>) => {
      const buffer = Buffer.from(await (await zip(files)).arrayBuffer());
      await page.getByRole('button', { name: 'Upload files' }).click();
      const dialog = page.getByRole('dialog');
      const chooser = page.waitForEvent('filechooser');
      await dialog.getByLabel('Files').click();
      await (await chooser).setFiles({ name: 'all.zip', mimeType: 'application/zip', buffer });
      await dialog.getByRole('radio', { name: /whole content/ }).check();
      return dialog;
    };
    const first = await chooseZip({ 'src/program.py': CODE, 'notes/a.txt': 'a' });
    await first.getByRole('button', { name: 'Commit' }).click();
    await first.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'notes/' }).waitFor();
    const names = async () => (await kethub.client.readImplementationTree(path)).entries.map(({ name }) => name);
    expect(await names()).toEqual(['notes', 'src']);
    expect(await kethub.client.listImplementationCommits(path)).toHaveLength(2);
    // Somebody else pushes while the dialog is open.
    const dialog = await chooseZip({ 'only.txt': 'only' });
    const later = new FormData();
    later.append('files', new Blob(['late']), 'late.txt');
    await kethub.client.commitToImplementation({ ...path, body: later });
    await dialog.getByRole('button', { name: 'Commit' }).click();
    await dialog.getByText('Somebody else has changed this').waitFor();
    await dialog.getByText('the ZIP replaces that too').waitFor();
    expect(await names()).toContain('late.txt');
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'implementation-zip-conflict');
    const [compared] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('link', { name: 'See what was pushed to main' }).click(),
    ]);
    await compared.getByRole('cell', { name: 'late.txt' }).waitFor();
    await compared.close();
    await dialog.getByRole('button', { name: 'Save mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await names()).toEqual(['only.txt']);
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
    await dialog.getByLabel('Address').fill('https://10.0.0.1/lab/Elsewhere.git');
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

  test('an import that failed is run again with a credential', async () => {
    const { page, origin, kethub } = dashboard;
    await publish('sealed', 'sealed.txt');
    elsewhere.credential = 'lab:right-token';
    await page.goto(`${origin}/me/implementations`);
    await page.getByRole('button', { name: 'Import a repository' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`${elsewhere.url}/sealed.git`);
    await dialog.getByRole('button', { name: 'Import' }).click();
    const panel = page.getByRole('region', { name: 'Import' });
    await panel.getByText('asks for a user name and a password').waitFor({ timeout: 60_000 });
    await panel.getByRole('button', { name: 'Run it again' }).click();
    await dialog.getByLabel('User name there').fill('lab');
    await dialog.getByLabel('Token or password there').fill('right-token');
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'implementation-import-again');
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await page.getByRole('link', { name: 'sealed.txt' }).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Upload files' }).waitFor();
    elsewhere.credential = null;
    const implementationId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await kethub.client.deleteImplementation({ implementationId });
  });

  test('a mirror follows, says why it fails and that it is off, and is ended', async () => {
    const { page, origin, kethub } = dashboard;
    await publish('followed', 'one.txt');
    await page.goto(`${origin}/me/implementations`);
    await page.getByRole('button', { name: 'Import a repository' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`${elsewhere.url}/followed.git`);
    await dialog.getByRole('checkbox', { name: /Mirror/ }).check();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('link', { name: 'one.txt' }).waitFor({ timeout: 60_000 });
    const implementationId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.getByRole('link', { name: 'Settings' }).click();
    const panel = page.getByRole('region', { name: 'Mirror' });
    await panel.getByText(/Last run .*, next/).waitFor();
    await picture(page, 'implementation-mirror');
    const run = async (): Promise<void> => {
      await panel.getByRole('button', { name: 'Run it now' }).click();
      await dialog.getByRole('button', { name: 'Run it' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    elsewhere.intercept = (_request, response) => Boolean(response.writeHead(404).end());
    await run();
    await panel.getByText('no such repository').waitFor({ timeout: 60_000 });
    await kethub.platform.database.write((transaction) =>
      transaction.updateTable('implementation_imports').set({ failures: 9, next_at: 0 }).execute(),
    );
    await expect
      .poll(async () => (await kethub.client.getImplementationImport({ implementationId })).failures, {
        timeout: 60_000,
      })
      .toBe(10);
    await page.reload();
    await panel.getByText('It has failed 10 times in a row').waitFor();
    await panel.getByText('The mirror is off').waitFor();
    await picture(page, 'implementation-mirror-off');
    elsewhere.intercept = () => false;
    await publish('followed', 'two.txt');
    await run();
    await panel.getByText(/Last run .*, next/).waitFor({ timeout: 60_000 });
    expect(await panel.getByRole('alert').count()).toBe(0);
    await page.getByRole('link', { name: 'Code', exact: true }).click();
    await page.getByRole('link', { name: 'two.txt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Upload files' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await panel.getByRole('button', { name: 'End the mirror' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Code', exact: true }).click();
    await page.getByRole('button', { name: 'Upload files' }).waitFor();
    await kethub.client.deleteImplementation({ implementationId });
  });

  test('an invitation is withdrawn or declined; the role of a member is changed, and taken', async () => {
    const { page, origin, kethub } = dashboard;
    const path = { implementationId: id };
    const { client: asCarol } = await kethub.signIn('carol');
    const { id: carolId } = await asCarol.getMe();
    const invite = () =>
      kethub.client.inviteToImplementation({ ...path, json: { email: 'carol@example.org', role: 'MAINTAINER' } });
    await invite();
    await page.goto(`${origin}/me/implementations/${id}/settings`);
    await page.getByRole('button', { name: 'Withdraw the invitation of carol@example.org' }).click();
    await page.getByText('carol@example.org').waitFor({ state: 'detached' });
    expect(await kethub.client.listImplementationInvitations(path)).toEqual([]);
    await invite();
    const carol = await dashboard.pageOf('carol');
    await carol.goto(`${origin}/me/implementations`);
    const own = carol.getByRole('region', { name: 'Invitations to you' });
    await own.getByRole('button', { name: 'Decline' }).click();
    await own.waitFor({ state: 'detached' });
    expect(await kethub.client.listImplementationInvitations(path)).toEqual([]);
    const carolAsMember = { ...path, memberType: 'USER', memberId: carolId } as const;
    await kethub.client.putImplementationMember({ ...carolAsMember, json: { role: 'VIEWER' } });
    await carol.goto(`${origin}/me/implementations/${id}`);
    await carol.getByRole('link', { name: 'README.md', exact: true }).waitFor();
    for (const forbidden of ['Upload files', 'Create a service'])
      expect(await carol.getByRole('button', { name: forbidden }).count()).toBe(0);
    await page.reload();
    await choose(page, 'Role of carol Test', /Maintainer/i);
    await expect.poll(() => kethub.client.listImplementationMembers(path)).toMatchObject([{ role: 'MAINTAINER' }]);
    await picture(page, 'implementation-members');
    await carol.reload();
    await carol.getByRole('button', { name: 'Upload files' }).waitFor();
    await page.getByRole('button', { name: 'Remove carol Test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => kethub.client.listImplementationMembers(path)).toEqual([]);
    // Their page is still open.
    await carol.getByRole('link', { name: 'Commits', exact: true }).click();
    await carol.getByText('or you may not see it').first().waitFor();
    await picture(carol, 'implementation-removed');
    await carol.context().close();
  });

  test('the protection of the default branch is lifted and set', async () => {
    const { page, origin, kethub } = dashboard;
    const path = { implementationId: id };
    const protects = async () => (await kethub.client.getImplementation(path)).protection.defaultBranch;
    await page.goto(`${origin}/me/implementations/${id}/settings`);
    const box = page.getByRole('checkbox', { name: /Protect the default branch/ });
    await box.uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await protects()).toBe(false);
    await box.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(protects).toBe(true);
  });

  test('it is given to an organization, and its former address is given up', async () => {
    const { page, origin, kethub } = dashboard;
    const { id: labId } = await kethub.client.createOrganization({ json: { name: 'Lab' } });
    const { id: implementationId, cloneUrl } = await kethub.client.createImplementation({ json: { name: 'given' } });
    await page.goto(`${origin}/me/implementations/${implementationId}/settings`);
    await page.getByRole('button', { name: 'Give the implementation away' }).click();
    await choose(page, 'New owner', /Lab/);
    expect(await violationsInDialog(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Give it away' }).click();
    await page.waitForURL(`${origin}/org/${labId}/implementations/${implementationId}`);
    await page.getByText(`${labId}/given.git`).first().waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    const former = page.getByRole('region', { name: 'Former addresses' });
    await former.getByText(cloneUrl).waitFor();
    await picture(page, 'implementation-given');
    await former.getByRole('button', { name: `Give up ${cloneUrl}` }).click();
    await former.waitFor({ state: 'detached' });
    // The old page says where it is no longer.
    await page.goto(`${origin}/me/implementations/${implementationId}`);
    await page.getByRole('heading', { level: 1 }).or(page.getByRole('alert')).first().waitFor();
    await picture(page, 'implementation-given-old-page');
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
    await expect
      .poll(async () => (await kethub.client.listImplementations({})).map(({ name }) => name))
      .not.toContain('adder');
  }, 180_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
