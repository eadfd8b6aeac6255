import { existsSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { newFile } from '../src/modeller/kit/new-file.ts';
import { picture, violationsInDialog, WIDE } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { draftOf, savedIn } from './drafts.ts';
import { keysOf } from './keys.ts';
import { manyElements } from './many-elements.ts';

const FILES = { 'src/program.py': 'def run(data=0):\n    return {"doubled": data * 2}\n' };

describe.skipIf(!existsSync(PROGRAM))('what goes wrong in the modeller', () => {
  let dashboard: Dashboard;
  let applicationId: string;
  let serviceId: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.kethub;
    const { service, application } = await deploy(client, 'Doubler', FILES);
    [serviceId, applicationId] = [service.id, application.id];
  }, 240_000);
  afterAll(() => dashboard?.close());

  const draft = (xml: string): Promise<string> => draftOf(dashboard, applicationId, xml);
  const saved = (id: string): Promise<string> => savedIn(dashboard, id);

  test('a process without a start event is not deployed, and one is added by keys', async () => {
    const { page, origin } = dashboard;
    const { go, press } = keysOf(page);
    await page.goto(`${origin}/me/services/${await draft(newFile('Flow'))}/model`);
    await go(/^Request/);
    await press('button', 'Delete');
    await page.getByText('Nothing is drawn yet.').waitFor();
    await page
      .getByRole('region', { name: 'Problems' })
      .getByText(/start event/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Deploy' }).isDisabled()).toBe(true);
    await picture(page, 'awkward-no-start');
    await press('button', 'Add a start event');
    await page.getByRole('treeitem', { name: /^Start event/ }).waitFor();
  });

  test('an example that is no JSON object stays in its field, with why', async () => {
    const { page, origin } = dashboard;
    const { go } = keysOf(page);
    await page.goto(`${origin}/me/services/${await draft(newFile('Flow'))}/model`);
    await go(/^Request/);
    const example = page.getByRole('textbox', { name: 'Example' });
    await example.fill('{"data": ');
    await example.blur();
    await page.getByText('An example is a JSON object: { … }.').waitFor();
    expect(await example.inputValue()).toBe('{"data": ');
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
    await example.fill('{"data": 1}');
    await page.getByText('An example is a JSON object: { … }.').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).isEnabled()).toBe(true);
  });

  test('a name of 60,000 characters and an expression of 10,000 are typed, saved and there again', async () => {
    const { page, origin } = dashboard;
    const { choose, go } = keysOf(page);
    const id = await draft(newFile('Flow'));
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Request/);
    await choose('Append…', 'Script task');
    await page.getByRole('treeitem', { name: /^Script task/, selected: true }).waitFor();
    const count = `=count([1${',1'.repeat(4_999)}])`;
    await page.getByRole('textbox', { name: 'Expression' }).fill(count);
    await page.getByRole('textbox', { name: 'Variable that takes its value' }).fill('number');
    await page.getByText('→ 5000').waitFor({ timeout: 60_000 });
    const name = page.getByRole('region', { name: 'General' }).getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('n'.repeat(60_000));
    await name.blur();
    await expect.poll(async () => (await saved(id)).includes('n'.repeat(60_000)), { timeout: 90_000 }).toBe(true);
    expect(await saved(id)).toContain(count);
    await picture(page, 'awkward-long');
    await page.reload();
    await page.getByRole('treeitem', { name: /^n{100}/ }).waitFor({ timeout: 60_000 });
  }, 240_000);

  test('a tab without a network keeps what is drawn, and saves it when the network is back', async () => {
    const { origin } = dashboard;
    const id = await draft(manyElements(2));
    const page = await dashboard.newPage();
    const { go, type } = keysOf(page);
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Task 0/);
    await page.context().setOffline(true);
    await type('Name', 'Offline', null);
    await page.getByText('this browser keeps it').waitFor({ timeout: 60_000 });
    await picture(page, 'awkward-offline');
    await page.context().setOffline(false);
    await expect.poll(() => saved(id), { timeout: 60_000 }).toContain('name="Offline"');
    await page.close();
  }, 180_000);

  test('a browser without a database says that it keeps nothing', async () => {
    const { origin } = dashboard;
    const id = await draft(manyElements(2));
    const page = await dashboard.newPage();
    await page.addInitScript(
      `IDBFactory.prototype.open = () => { throw new DOMException('refused', 'SecurityError'); };`,
    );
    await page.route('**/versions/*/source', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    const { go, type } = keysOf(page);
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Task 0/);
    await type('Name', 'Lost', null);
    await page.getByText('this browser cannot keep it: leave the page open').waitFor({ timeout: 60_000 });
    await picture(page, 'awkward-no-database');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.close();
  }, 120_000);

  test('a browser without room says that it keeps nothing, and keeps again when there is room', async () => {
    const { origin } = dashboard;
    const id = await draft(manyElements(2));
    const page = await dashboard.newPage();
    await page.route('**/versions/*/source', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    const { go, type } = keysOf(page);
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Task 0/);
    const browser = await page.context().newCDPSession(page);
    await browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
    await type('Name', 'Full', null);
    await page.getByText('this browser cannot keep it: leave the page open').waitFor({ timeout: 60_000 });
    await browser.send('Storage.overrideQuotaForOrigin', { origin });
    await type('Name', 'Room again', null);
    await page.getByText('this browser keeps it').waitFor({ timeout: 60_000 });
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('treeitem', { name: /^Room again/ }).waitFor();
    await page.close();
  }, 120_000);

  test('a service is dragged onto the canvas as a finished task, and taken back', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${await draft(newFile('Flow'))}/model`);
    await page.getByRole('tab', { name: 'Services' }).click();
    await page.getByRole('button', { name: 'Doubler' }).hover();
    await page.mouse.down();
    const canvas = await page.locator('.canvas').boundingBox();
    await page.mouse.move((canvas?.x ?? 0) + 450, (canvas?.y ?? 0) + 120, { steps: 10 });
    await picture(page, 'awkward-dragged');
    await page.mouse.up();
    await page.getByRole('tab', { name: 'Outline' }).click();
    await page.getByRole('treeitem', { name: /^Doubler/ }).click();
    const service = page.getByRole('region', { name: 'Service', exact: true });
    await expect.poll(() => service.getByRole('combobox', { name: 'Service' }).inputValue()).toBe(serviceId);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('treeitem', { name: /^Doubler/ }).waitFor({ state: 'detached' });
  });

  test('a service without a subscription is named at its task, and a refused deployment as well', async () => {
    const { page, origin, kethub } = dashboard;
    const { client } = kethub;
    const { id: callers } = await client.createApplication({ json: { name: 'Callers' } });
    const { id: subscriptionId } = await client.subscribe({ applicationId: callers, json: { serviceId } });
    const called = manyElements(1, 'serviceTask').replace(
      'name="Task 0" />',
      `name="Task 0"><extensionElements><zeebe:taskDefinition xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" type="platform-service" /><zeebe:taskHeaders xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"><zeebe:header key="serviceId" value="${serviceId}" /></zeebe:taskHeaders></extensionElements></serviceTask>`,
    );
    const source = new Blob([called], { type: 'application/xml' });
    const body = workflowForm({ name: 'Unsubscribed', applicationId: callers, source });
    const { id } = await client.createService({ body });
    await page.goto(`${origin}/me/services/${id}/model`);
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByText('It can be deployed.').waitFor();
    const unsubscribe = () => client.unsubscribe({ applicationId: callers, subscriptionId });
    await unsubscribe();
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.getByText('The platform does not deploy this file.').waitFor();
    const finding = problems.getByRole('button', {
      name: /^Task 0 ?The application of the workflow is not subscribed/,
    });
    await finding.waitFor();
    await page.locator('.problem-mark').getByText('1', { exact: true }).waitFor();
    await picture(page, 'awkward-refused');
    expect(await finding.count()).toBe(1);
    // It was open when that happened; the same stands there before anybody deploys it.
    await page.reload();
    await finding.waitFor();
    expect(await finding.count()).toBe(1);
    await client.subscribe({ applicationId: callers, json: { serviceId } });
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
  }, 120_000);

  test('a service that is retired under a drawn task is named at the task', async () => {
    const { page, origin, kethub } = dashboard;
    const { choose, go } = keysOf(page);
    const id = await draft(newFile('Flow'));
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Request/);
    await choose('Append…', 'Doubler');
    await expect.poll(() => saved(id), { timeout: 60_000 }).toContain(serviceId);
    await kethub.client.retireServiceVersion({ serviceId, version: '1.0.0', json: {} });
    await page.reload();
    await go(/^Doubler/);
    await page.getByText('Version 1.0.0 is retired: its calls fail.').waitFor();
    await picture(page, 'awkward-retired');
  });

  test('a viewer draws for themselves, and saves and deploys nothing', async () => {
    const { kethub, origin } = dashboard;
    const { client } = kethub;
    const { id: organization } = await client.createOrganization({ json: { name: 'Lab' } });
    const grace = await kethub.signIn('grace');
    const json = { email: 'grace@example.org', role: 'VIEWER' as const };
    const { id: invitationId } = await client.invite({ organizationId: organization, json });
    await grace.client.acceptInvitation({ invitationId });
    const source = new Blob([manyElements(2)], { type: 'application/xml' });
    const { id } = await client.createService({ body: workflowForm({ name: 'Of a lab', source }) });
    await client.transferService({ serviceId: id, json: { type: 'ORGANIZATION', id: organization } });
    const page = await dashboard.pageOf('grace');
    const { go, type } = keysOf(page);
    const writes: string[] = [];
    page.on('request', (one) => {
      if (one.method() !== 'GET' && one.url().includes('/services/')) writes.push(one.url());
    });
    await page.goto(`${origin}/org/${organization}/services/${id}/model`);
    await go(/^Task 0/);
    await type('Name', 'Mine', null);
    await page.getByText('changed here only, which you may not save').waitFor();
    expect(await page.getByRole('button', { name: /^(?:Save|Deploy)$/ }).count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Application as which tasks call services' }).isDisabled()).toBe(
      true,
    );
    await page.keyboard.press('ControlOrMeta+S');
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('treeitem', { name: /^Task 0/ }).waitFor();
    await picture(page, 'awkward-viewer');
    expect(writes).toEqual([]);
    await page.context().close();
  }, 120_000);

  test('a file that cannot be drawn changes nothing, and one that can is taken back', async () => {
    const { page, origin } = dashboard;
    const { go, type } = keysOf(page);
    const id = await draft(manyElements(2));
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Task 0/);
    await type('Name', 'Worth keeping', null);
    const open = (name: string, text: string): Promise<void> =>
      page.getByLabel('BPMN file').setInputFiles({ name, mimeType: 'application/xml', buffer: Buffer.from(text) });
    const whole = manyElements(3).replace('name="Task 0"', 'name="Theirs"');
    const cut = whole.slice(0, whole.indexOf('<startEvent') + 4);
    const withoutProcess = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" />';
    for (const [name, text] of Object.entries({ 'cut.bpmn': cut, 'empty.bpmn': '', 'none.bpmn': withoutProcess })) {
      await open(name, text);
      await page.getByText(`${name} cannot be drawn, so your file stays`).waitFor();
      await page.getByRole('treeitem', { name: /^Worth keeping/ }).waitFor();
    }
    await picture(page, 'awkward-cut-off');
    await expect.poll(() => saved(id), { timeout: 60_000 }).toContain('name="Worth keeping"');
    await open('theirs.bpmn', whole);
    await page.getByRole('treeitem', { name: /^Theirs/ }).waitFor();
    await expect.poll(() => saved(id), { timeout: 60_000 }).toContain('name="Theirs"');
    await picture(page, 'awkward-replaced');
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('treeitem', { name: /^Worth keeping/ }).waitFor();
    await expect.poll(() => saved(id), { timeout: 60_000 }).toContain('name="Worth keeping"');
    await open('theirs.bpmn', whole);
    await page.getByRole('treeitem', { name: /^Theirs/ }).waitFor();
    await page.locator('.modeller-bar').getByText('· saved', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Take back' }).waitFor();
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' });
  }, 240_000);

  test('a draft that cannot be drawn is replaced from the page', async () => {
    const { page, origin } = dashboard;
    const id = await draft(manyElements(2));
    const body = new Blob([manyElements(2).slice(0, 300)], { type: 'application/xml' });
    await dashboard.kethub.client.replaceSource({ serviceId: id, version: '1.0.0', body });
    await page.goto(`${origin}/me/services/${id}/model`);
    await page.getByText('This file cannot be drawn').waitFor();
    await picture(page, 'awkward-not-drawn');
    const buffer = Buffer.from(manyElements(3));
    await page.getByLabel('BPMN file').setInputFiles({ name: 'whole.bpmn', mimeType: 'application/xml', buffer });
    await page.getByRole('treeitem', { name: /^Task 2/ }).waitFor();
    await expect.poll(() => saved(id), { timeout: 60_000 }).toContain('name="Task 2"');
    expect(await page.getByRole('button', { name: 'Take back' }).count()).toBe(0);
  }, 120_000);

  test('a timer on the way offers no cycle, and an empty list of a loop is a problem of its field alone', async () => {
    const { page, origin } = dashboard;
    const { choose, go } = keysOf(page);
    await page.goto(`${origin}/me/services/${await draft(newFile('Flow'))}/model`);
    await go(/^Request/);
    await choose('Append…', 'Wait for a time');
    const ways = page.getByRole('combobox', { name: 'When' }).getByRole('option');
    await expect.poll(() => ways.allTextContents()).toEqual(['at a date', 'after a duration']);
    await choose('Append…', 'Script task');
    await page.getByRole('textbox', { name: 'Expression' }).fill('=1');
    await page.getByRole('combobox', { name: 'For each item of a list' }).selectOption('parallel');
    const list = page.getByRole('textbox', { name: 'List', exact: true });
    await list.fill('');
    await expect.poll(() => list.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'awkward-empty-list');
    for (const name of ['Value to collect', 'Ends as soon as'])
      expect(await page.getByRole('textbox', { name }).getAttribute('aria-invalid')).not.toBe('true');
  });

  test('a problem of 60,000 characters is shortened everywhere, and read whole on demand', async () => {
    const { page, origin } = dashboard;
    const { choose, go } = keysOf(page);
    await page.goto(`${origin}/me/services/${await draft(newFile('Flow'))}/model`);
    await go(/^Request/);
    await choose('Append…', 'Script task');
    const long = `9${'v'.repeat(60_000)}`;
    await page.getByRole('textbox', { name: 'Variable that takes its value' }).fill(long);
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByRole('button', { name: /^Show all 60,\d{3} characters$/ }).waitFor({ timeout: 60_000 });
    expect((await problems.textContent())?.length).toBeLessThan(3_000);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    expect((await inspector.textContent())?.length).toBeLessThan(3_000);
    const title = await page.locator('.problem-mark').first().getAttribute('title');
    expect(title?.length).toBeLessThan(2_000);
    await picture(page, 'awkward-long-problem');
    await problems.getByRole('button', { name: /^Show all 60/ }).click();
    expect((await problems.textContent())?.length).toBeGreaterThan(60_000);
  }, 180_000);

  test('a narrow window reads the workflow, and a wide one draws on', async () => {
    const { page, origin } = dashboard;
    const { go, type } = keysOf(page);
    const id = await draft(manyElements(2));
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Task 0/);
    await type('Name', 'Wide', null);
    await page.getByRole('treeitem', { name: /^Wide/ }).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByText('the workflow can only be read').waitFor();
    await page.getByRole('treeitem', { name: /^Wide/ }).waitFor();
    expect(await page.getByRole('button', { name: /^(?:Append…|Undo|Deploy|Save|Delete)$/ }).count()).toBe(0);
    expect(await page.locator('.djs-palette:visible').count()).toBe(0);
    await page.getByRole('treeitem', { name: /^Wide/ }).click();
    await page
      .locator('.instance-canvas .djs-element.selected[data-element-id="task0"]')
      .waitFor({ state: 'attached' });
    await page.locator('.instance-canvas [data-element-id="task0"]').first().dblclick();
    expect(await page.locator('.djs-direct-editing-parent').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await picture(page, 'awkward-narrow');
    expect(await violationsInDialog(page, [])).toEqual([]);
    await page.reload();
    await page.getByText('the workflow can only be read').waitFor();
    await page.getByRole('treeitem', { name: /^(?:Wide|Task 0)/ }).waitFor();
    await page.setViewportSize(WIDE);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await go(/^Task 1/);
    await type('Name', 'Wide again', null);
    await expect.poll(() => saved(id), { timeout: 60_000 }).toContain('name="Wide again"');
  }, 180_000);

  test('a deployed version is not changed: the next one is saved', async () => {
    const { page, origin, kethub } = dashboard;
    const { go, type } = keysOf(page);
    const id = await draft(manyElements(1));
    await kethub.client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Task 0/);
    await type('Name', 'Next', null);
    await page.getByText('1.0.0 · not saved; this browser keeps it').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^(?!1\.0\.0)\d+\.\d+\.\d+ · saved$/).waitFor();
    expect(await saved(id)).not.toContain('Next');
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
