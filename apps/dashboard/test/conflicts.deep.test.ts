import { existsSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import { zipSync } from 'fflate';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, deploy, type TestKethub } from '@kethub/server/testing/kethub';
import { asFile, bpmn, calls, start } from '@kethub/server/testing/workflows';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { formIn, taggedForms } from './tagged-forms.ts';

const FILES = { 'src/program.py': 'def run(data: int = 0) -> dict:\n    return {"data": data}\n' };
const VERSION = '1.0.0';
const { chain, end, file, service } = bpmn;

describe.skipIf(!existsSync(PROGRAM))('two people who change the same thing, in a browser', () => {
  let dashboard: Dashboard;
  let kethub: TestKethub;
  let draft: string;
  beforeAll(async () => {
    dashboard = await openDashboard({ KETHUB_ADMINISTRATORS: 'ada' });
    ({ kethub } = dashboard);
    draft = (await build(kethub.client, 'Draft', FILES)).service.id;
  }, 240_000);
  afterAll(() => dashboard?.close());

  /** Both versions, once a change is refused. */
  const conflictIn = (within: Pick<Locator, 'getByRole'>): Locator =>
    within.getByRole('alert').filter({ hasText: 'Somebody else has changed this' });
  /** The text of a row of the comparison, without the space between. */
  const row = async (conflict: Locator, name: string): Promise<string> => {
    const text = await conflict.getByRole('row', { name }).textContent();
    return (text ?? '').replace(name, '');
  };

  /** Keeps the next change of a page from the platform until `answer` is called. */
  const pauseChange = async (on: Page): Promise<{ readonly asked: Promise<void>; readonly answer: () => void }> => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    await on.route('**/api/**', async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      asked.resolve();
      await answer.promise;
      await route.continue();
      await on.unroute('**/api/**');
    });
    return { asked: asked.promise, answer: answer.resolve };
  };

  test('dates of a share: theirs are taken, then mine are saved over others', async () => {
    const { page, origin } = dashboard;
    const { id } = await kethub.client.createOrganization({ json: { name: 'Lab' } });
    const recipient = { type: 'ORGANIZATION' as const, id };
    const share = await kethub.client.createShare({ serviceId: draft, json: { recipient } });
    const theirs = (endDate: string) =>
      kethub.client.changeShare({ serviceId: draft, shareId: share.id, json: { endDate } });
    const saved = async () => (await kethub.client.listShares({ serviceId: draft }))[0]?.endDate;
    await page.goto(`${origin}/me/services/${draft}/sharing`);
    await page.getByRole('button', { name: 'Change the dates of Lab' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Until').fill('2990-05-01T10:00');
    await theirs('2980-03-01 12:00:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const conflict = conflictIn(dialog);
    expect(await row(conflict, 'Until')).toMatch(/^yours: 2990-05-01 10:00saved now: 2980-03-01 \d\d:\d\d$/);
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'share-conflict');
    await conflict.getByRole('button', { name: 'Take what is saved' }).click();
    expect(await dialog.getByLabel('Until').inputValue()).toMatch(/^2980-03-01T/);
    await dialog.getByLabel('Until').fill('2991-05-01T10:00');
    await theirs('2981-03-01 12:00:00');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await saved()).toMatch(/^2991-05-01/);
  });

  test('API specification: both documents stand side by side, and nothing is lost before the choice', async () => {
    const { page, origin } = dashboard;
    const at = { serviceId: draft, version: VERSION };
    const derived = (await kethub.client.getApiSpecification(at)) as unknown as { info: object };
    const withText = (description: string): string =>
      JSON.stringify({ ...derived, info: { ...derived.info, description } });
    const upload = (text: string) =>
      kethub.client.uploadApiSpecification({ ...at, body: new Blob([text], { type: 'application/json' }) });
    const saved = async () =>
      ((await kethub.client.getApiSpecification(at)) as unknown as { info: { description?: string } }).info.description;
    const choose = (name: string, text: string) =>
      page
        .getByLabel('OpenAPI document', { exact: true })
        .first()
        .setInputFiles({
          name,
          mimeType: 'application/json',
          buffer: Buffer.from(text),
        });

    await page.goto(`${origin}/me/services/${draft}/versions`);
    await page.getByRole('link', { name: 'API specification' }).click();
    await page.getByText('Derived from the signature of run().').waitFor();
    await choose('mine.json', withText('First.'));
    await page.getByText('This document was uploaded.').waitFor();
    expect(await saved()).toBe('First.');

    await upload(withText('Theirs.'));
    await choose('mine.json', withText('Mine.'));
    const conflict = conflictIn(page);
    await conflict.getByLabel('Document that is saved now').getByText('Theirs.').waitFor();
    await conflict.getByLabel('Your document').getByText('Mine.').waitFor();
    await picture(page, 'specification-conflict');
    expect(await saved()).toBe('Theirs.');
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await expect.poll(saved, { timeout: 30_000 }).toBe('Mine.');
    await page.getByLabel('OpenAPI document', { exact: true }).last().getByText('Mine.').waitFor();

    await choose('wrong.json', JSON.stringify({ ...derived, paths: {} }));
    await page.getByRole('alert').getByText('Nothing was changed.').waitFor();
    await picture(page, 'specification-refused');
    await choose('long.yaml', `# ${'x'.repeat(513 * 1024)}`);
    await page.getByText('long.yaml is larger than').waitFor();
    expect(await saved()).toBe('Mine.');

    await page.getByRole('button', { name: 'Take the document away' }).click();
    const dialog = page.getByRole('dialog');
    await upload(withText('Later.'));
    await dialog.getByRole('button', { name: 'Take it away' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await saved()).toBe('Later.');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('button', { name: 'Take the document away' }).click();
    await dialog.getByRole('button', { name: 'Take it away' }).click();
    await page.getByText('Derived from the signature of run().').waitFor();
    expect(await saved()).not.toBe('Later.');

    // Another source is built: what is derived from it appears by itself.
    const source = { 'src/__init__.py': '', 'src/program.py': 'def run(renewed: int) -> dict:\n    return {}\n' };
    const files = Object.entries(source).map(([name, text]) => [name, Buffer.from(text)] as const);
    const body = new Blob([new Uint8Array(zipSync(Object.fromEntries(files)))], { type: 'application/zip' });
    await kethub.client.replaceSource({ ...at, body });
    const derivedNow = page.getByLabel('OpenAPI document', { exact: true }).last();
    await derivedNow.getByText('"renewed"').waitFor({ timeout: 120_000 });
  });

  test('source of a draft: an upload of somebody else is not replaced without a look', async () => {
    const { page, origin } = dashboard;
    const zipped = (text: string): Uint8Array<ArrayBuffer> =>
      new Uint8Array(zipSync({ 'src/__init__.py': new Uint8Array(), 'src/program.py': Buffer.from(text) }));
    const digest = async () =>
      (await kethub.client.getServiceVersion({ serviceId: draft, version: VERSION })).sourceDigest;
    await page.goto(`${origin}/me/services/${draft}/versions`);
    await page.getByRole('button', { name: 'Upload new source' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('ZIP or BPMN file').setInputFiles({
      name: 'mine.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from(zipped('def run():\n    return "mine"\n')),
    });
    await dialog.getByText('mine.zip').waitFor();
    const body = new Blob([zipped('def run():\n    return "theirs"\n')], { type: 'application/zip' });
    await kethub.client.replaceSource({ serviceId: draft, version: VERSION, body });
    const theirs = await digest();
    await dialog.getByRole('button', { name: 'Upload and build' }).click();
    const conflict = conflictIn(dialog);
    await conflict.waitFor();
    expect(await row(conflict, 'Source')).toContain(`SHA-256 ${theirs?.slice(0, 12)}`);
    await picture(page, 'source-conflict');
    expect(await digest()).toBe(theirs);
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await digest()).not.toBe(theirs);
  });

  test('retirement: a moment that somebody else has announced is shown', async () => {
    const { page, origin } = dashboard;
    const { service: published } = await deploy(kethub.client, 'Published', FILES);
    await page.goto(`${origin}/me/services/${published.id}/versions`);
    await page.getByRole('button', { name: 'Retire', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Cannot be started from').fill('2990-05-01T10:00');
    const json = { sunset: '2980-03-01T12:00:00.000Z' };
    await kethub.client.retireServiceVersion({ serviceId: published.id, version: VERSION, json });
    await dialog.getByRole('button', { name: 'Announce' }).click();
    const conflict = conflictIn(dialog);
    await conflict.waitFor();
    expect(await row(conflict, 'Cannot be started from')).toMatch(/^yours: 2990.*saved now: 2980-03-01/);
    await conflict.getByRole('button', { name: 'Take what is saved' }).click();
    expect(await dialog.getByLabel('Cannot be started from').inputValue()).toMatch(/^2980-03-01T/);
  });

  test('application of a workflow: a choice of somebody else is shown beside mine', async () => {
    const { page, origin } = dashboard;
    const applications = await Promise.all(
      ['Mine', 'Theirs'].map((name) => kethub.client.createApplication({ json: { name } })),
    );
    const [mine, theirs] = applications;
    const xml = file([
      start(),
      service('call', { in: { data: '=1' }, extensions: calls(draft) }),
      end('end'),
      chain('start', 'call', 'end'),
    ]);
    const { id } = await kethub.client.createService({ body: workflowForm({ name: 'Flow', source: asFile(xml) }) });
    const chosen = async () =>
      (await kethub.client.getServiceVersion({ serviceId: id, version: VERSION })).workflow?.applicationId;
    await page.goto(`${origin}/me/services/${id}/versions`);
    const select = page.getByRole('combobox', { name: `Application of ${VERSION}` });
    await select.click();
    await page.getByRole('option', { name: 'Mine' }).waitFor();
    const json = { applicationId: theirs?.id ?? '' };
    await kethub.client.setWorkflowApplication({ serviceId: id, version: VERSION, json });
    await page.getByRole('option', { name: 'Mine' }).click();
    const conflict = conflictIn(page);
    await conflict.waitFor();
    expect(await row(conflict, 'Application')).toBe('yours: Minesaved now: Theirs');
    await picture(page, 'workflow-application-conflict');
    expect(await chosen()).toBe(theirs?.id);
    await conflict.getByRole('button', { name: 'Take what is saved' }).click();
    await expect.poll(() => select.inputValue(), { timeout: 30_000 }).toBe('Theirs');
    await select.click();
    await page.getByRole('option', { name: 'Mine' }).click();
    await expect.poll(chosen, { timeout: 30_000 }).toBe(mine?.id);
  });

  test('a registration: what another administrator has decided is shown beside my decision', async () => {
    const { page, origin } = dashboard;
    await kethub.signIn('linus');
    const [linus] = await kethub.client.listRegistrations({ email: 'linus@example.org' });
    const id = linus?.id ?? '';
    const isOn = async () => (await kethub.client.getRegistration({ id })).enabled;
    await page.goto(`${origin}/me/administration`);
    const off = page.getByRole('button', { name: 'Switch off: linus Test' });
    await off.waitFor();
    await kethub.client.changeRegistration({ id, json: { enabled: false } });
    await kethub.client.changeRegistration({ id, json: { enabled: true } });
    await off.click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await kethub.client.changeRegistration({ id, json: { enabled: false } });
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    const conflict = conflictIn(page);
    await conflict.waitFor();
    expect(await row(conflict, 'Decision')).toBe('yours: Switch offsaved now: Switched off');
    await picture(page, 'registration-conflict');
    await conflict.getByRole('button', { name: 'Take what is saved' }).click();
    await page.getByRole('button', { name: 'Switch on: linus Test' }).click();
    await expect.poll(isOn, { timeout: 30_000 }).toBe(true);
  });

  test('what is typed outlives every renewal of the page, and a change then shows both versions', async () => {
    const { page, origin } = dashboard;
    const [made, { service: published }, { service: offered }] = await Promise.all([
      build(kethub.client, 'Typed', FILES),
      deploy(kethub.client, 'Retired', FILES),
      deploy(kethub.client, 'Offered', FILES),
    ]);
    const services = { draft: made.service.id, published: published.id, offered: offered.id };
    const forms = await taggedForms(kethub, services);
    const tabs = new Map<string, { readonly tab: Page; readonly field: Locator; readonly read: string[] }>();
    for (const form of forms) {
      const tab = await dashboard.newPageIn(page.context());
      await tab.goto(origin + form.address);
      if (form.opens !== undefined) await tab.getByRole('button', { name: form.opens, exact: true }).click();
      const field = formIn(tab, form).getByLabel(new RegExp(`^${form.label}(?: \\*)?$`));
      await field.fill(form.typed);
      const read: string[] = [];
      tab.on('response', (response) => {
        if (response.request().method() === 'GET' && response.ok()) read.push(new URL(response.url()).pathname);
      });
      tabs.set(form.name, { tab, field, read });
    }
    for (const form of forms) await form.theirs();
    // After a restart the event stream says that everything is to be read again.
    await kethub.restart();
    const found: Record<string, unknown> = {};
    for (const form of forms) {
      const { tab, field, read } = tabs.get(form.name) ?? {};
      if (!tab || !field || !read) throw new Error(`${form.name} has no tab`);
      await tab.bringToFront();
      await expect.poll(() => read, { timeout: 60_000 }).toContain(`/api${form.renewed}`);
      await tab.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      const kept = await field.inputValue();
      const { asked, answer } = await pauseChange(tab);
      await formIn(tab, form).getByRole('button', { name: form.save, exact: true }).click();
      await asked;
      await expect.poll(() => field.isDisabled()).toBe(true);
      answer();
      const conflict = conflictIn(tab);
      await conflict.getByText(form.shows).waitFor();
      await picture(tab, `typed-${form.name}`);
      found[form.name] = { kept, after: await field.inputValue(), isOpen: await field.isEnabled() };
      await tab.close();
    }
    expect(found).toEqual(
      Object.fromEntries(forms.map(({ name, typed }) => [name, { kept: typed, after: typed, isOpen: true }])),
    );
  }, 300_000);

  test('what is typed after a change is not said to be saved, and is saved by the next change', async () => {
    const { page, origin } = dashboard;
    const { client } = kethub;
    const target = { url: 'https://solver.example.org/', credentials: null };
    const remote = await client.createService({ json: { type: 'ON_PREMISE', name: 'Moves', target } });
    const code = await client.createImplementation({ json: { name: 'settings' } });
    const forms = [
      { address: `/me/implementations/${code.id}/settings`, label: 'Description', first: 'One.', next: 'Two.' },
      { address: '/me/profile', label: 'Position', first: 'One', next: 'Two' },
      {
        address: `/me/services/${remote.id}/versions/${VERSION}`,
        label: 'Address',
        first: 'https://one.example.org/',
        next: 'https://two.example.org/',
      },
    ];
    for (const { address, label, first, next } of forms) {
      await page.goto(origin + address);
      const field = page.getByLabel(new RegExp(`^${label}(?: \\*)?$`));
      const saved = page.getByText('Saved.', { exact: true });
      await field.fill(first);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await saved.waitFor();
      await field.fill(next);
      await saved.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await saved.waitFor();
      await page.reload();
      await expect.poll(() => field.inputValue()).toBe(next);
    }
  });

  test('an upload waits until the folder is read, and names the commit that was shown', async () => {
    const { page, origin } = dashboard;
    const { id } = await kethub.client.createImplementation({ json: { name: 'upload' } });
    const path = { implementationId: id };
    const heads: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/commits')) heads.push(request.headers()['if-match']);
    });
    const dialog = page.getByRole('dialog');
    const commit = dialog.getByRole('button', { name: 'Commit' });
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Upload files' }).click();
      const chooser = page.waitForEvent('filechooser');
      await dialog.getByLabel('Files').click();
      await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
    };
    await page.goto(`${origin}/me/implementations/${id}`);
    await choose('first.txt');
    await commit.click();
    await page.getByRole('link', { name: 'first.txt', exact: true }).waitFor();
    const [shown] = await kethub.client.listImplementationCommits(path);
    const folder = `**/implementations/${id}/tree*`;
    await page.route(folder, (route) =>
      route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{}' }),
    );
    await page.reload();
    await choose('second.txt');
    await dialog.getByText('Commit waits until the folder is read').waitFor();
    expect(await commit.isDisabled()).toBe(true);
    const again = dialog.getByRole('button', { name: 'Try again' });
    await again.waitFor({ timeout: 60_000 });
    expect(await commit.isDisabled()).toBe(true);
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'upload-waits');
    await page.unroute(folder);
    await again.click();
    await commit.click();
    await page.getByRole('link', { name: 'second.txt', exact: true }).waitFor();
    expect(heads).toEqual(['""', `"${shown?.id ?? ''}"`]);
  }, 120_000);

  test('an input that is half typed stays: a newer version is built, and a renewal of the page fails', async () => {
    const { page, origin } = dashboard;
    const { service } = await deploy(kethub.client, 'Half typed', FILES);
    await page.goto(`${origin}/me/services/${service.id}/run`);
    const field = page.locator('[data-pointer="/data"]');
    await field.fill('4');
    const source = await (await kethub.client.downloadSource({ serviceId: service.id, version: VERSION })).blob();
    const { version } = await kethub.client.addServiceVersion({ serviceId: service.id, body: source });
    await page.getByRole('option', { name: `${version} · draft` }).waitFor({ state: 'attached' });
    expect(await field.inputValue()).toBe('4');
    // The platform cannot answer for a while. The page asks some times, and stays.
    const path = `**/api/services/${service.id}`;
    let refused = 0;
    await page.route(path, (route) => {
      refused += 1;
      return route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{}' });
    });
    await kethub.client.replaceSource({ serviceId: service.id, version, body: source });
    await expect.poll(() => refused, { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await field.inputValue()).toBe('4');
    await page.unroute(path);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('tabpanel').getByText('4').first().waitFor();
    expect((await kethub.client.listOwnedExecutions({ serviceId: service.id }))[0]).toMatchObject({ version: VERSION });
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const screens = [`/me/services/${draft}/versions`, `/me/services/${draft}/versions/${VERSION}/specification`];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
