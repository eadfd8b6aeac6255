import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { newFile } from '../src/modeller/kit/new-file.ts';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { CALLING } from './calling-workflow.ts';
import { draftOf, savedIn } from './drafts.ts';
import { keysOf } from './keys.ts';
import { manyElements } from './many-elements.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../../examples');
const FILES = { 'src/program.py': 'def run(data=0):\n    return {"doubled": data * 2}\n' };
/** 2^53 + 1, which no double holds. */
const LARGE = '9007199254740993';
const DOUBLED = '18014398509481986';

describe.skipIf(!existsSync(PROGRAM))('the modeller in a browser', () => {
  let dashboard: Dashboard;
  let caller: string;
  let workflowId = '';
  const draft = (xml: string): Promise<string> => draftOf(dashboard, caller, xml);
  const saved = (id: string): Promise<string> => savedIn(dashboard, id);
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.kethub;
    const { service } = await deploy(client, 'Doubler', FILES);
    caller = (await client.createApplication({ json: { name: 'Callers' } })).id;
    await client.subscribe({ applicationId: caller, json: { serviceId: service.id } });
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('a workflow is drawn, deployed and run by keys alone, and keeps every digit', async () => {
    const { page, origin, kethub } = dashboard;
    const { press, choose, type, go } = keysOf(page);
    await page.goto(`${origin}/me/workflows`);
    await press('button', 'New workflow');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await type('Name', 'Doubling');
    await page.getByRole('combobox', { name: 'Application' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Callers', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // Without the application there would be no service to append.
    await expect.poll(() => page.getByRole('combobox', { name: 'Application' }).inputValue()).toBe('Callers');
    await press('button', 'Draw it');
    await go(/^Request/);
    workflowId = /services\/([0-9a-f-]+)\/model/.exec(page.url())?.[1] ?? '';
    await press('button', 'Add a field');
    await page.getByRole('group', { name: 'field1' }).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).focus();
    await page.keyboard.press('i');
    await type('Name', 'data', 'field1');
    await page.getByRole('group', { name: 'data' }).waitFor();
    await type('Example', `{"data": ${LARGE}}`);
    await go(/^Request/);
    await choose('Append…', 'Doubler');
    await page.getByRole('treeitem', { name: /^Doubler/, selected: true }).waitFor();
    await type('data', '=(data');
    await page.getByRole('button', { name: /^Doubler.*line 1/ }).waitFor();
    await picture(page, 'modeller-problem');
    await press('button', /^Doubler.*line 1/);
    await page.getByRole('textbox', { name: 'data', exact: true }).and(page.locator(':focus')).waitFor();
    await type('data', '=data');
    await page.getByText(`→ ${LARGE}`).waitFor();
    await go(/^Doubler/);
    await choose('Append…', 'End event');
    await press('button', 'Add a field of the result');
    await type('Variable', 'answer');
    await type(/^Value of/, '=doubled');
    await page.getByText('It can be deployed.').waitFor();
    await press('button', 'Deploy');
    await press('link', 'Run', '.modeller-bar');
    // The form takes the place of the plain input once the parameters are read.
    await page.getByRole('region', { name: 'Input' }).getByLabel('data').first().waitFor();
    await page.getByRole('region', { name: 'Input' }).getByRole('radio', { name: 'JSON', exact: true }).focus();
    await page.keyboard.press('Space');
    await type('Input as JSON', `{"data": ${LARGE}}`);
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText(DOUBLED).first().waitFor({ timeout: 60_000 });
    expect(await kethub.client.getService({ serviceId: workflowId })).toMatchObject({
      versions: [{ state: 'PUBLISHED' }],
    });
  });

  test('it is rehearsed with a made-up answer, exactly', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${workflowId}/model`);
    await page.getByRole('button', { name: 'Rehearse' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByText(`calls Doubler with {"data":${LARGE}}`).waitFor();
    await dialog.getByLabel('Result of the service').fill(`{"doubled": 0.1000000000000000055, "x": 1}`);
    await dialog.getByRole('button', { name: 'It succeeds' }).click();
    await dialog.getByText('0.1000000000000000055').first().waitFor();
    await dialog.getByText('Succeeded').waitFor();
    await picture(page, 'modeller-rehearsal');
    await page.keyboard.press('Escape');
  });

  test('its instance stands on the diagram, step by step', async () => {
    const { page, origin, kethub } = dashboard;
    const [instance] = await kethub.client.listWorkflowInstances({ serviceId: workflowId });
    await page.goto(`${origin}/me/services/${workflowId}/instances/${instance?.id}`);
    await page.locator('.token.done').nth(2).waitFor();
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await page.locator('.token').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Now' }).click();
    await page.locator('.token.done').nth(2).waitFor();
  });

  test('each example is opened, changed, deployed and run', async () => {
    const { page, origin, kethub } = dashboard;
    const { go, press, type } = keysOf(page);
    const files = globSync('src/*.py', { cwd: path.join(EXAMPLES, 'maxcut') });
    const sources = files.map((file) => [file, readFileSync(path.join(EXAMPLES, 'maxcut', file), 'utf8')] as const);
    const { service } = await deploy(kethub.client, 'Max-Cut', Object.fromEntries(sources));
    await kethub.client.subscribe({ applicationId: caller, json: { serviceId: service.id } });
    const graph = { nodes: ['a', 'b'], edges: [{ source: 'a', target: 'b', weight: 2 }] };
    for (const [file, start, json] of [
      ['workflow-sequential/maxcut-in-two-steps.bpmn', 'A graph comes in', { graph, wanted: 1 }],
      ['workflow-parallel/maxcut-of-many.bpmn', 'Graphs come in', { graphs: [graph, graph] }],
    ] as const) {
      const xml = readFileSync(path.join(EXAMPLES, file), 'utf8').replaceAll(
        '00000000-0000-4000-8000-0000000000c0',
        service.id,
      );
      const body = workflowForm({ name: path.basename(file), applicationId: caller, source: new Blob([xml]) });
      const { id } = await kethub.client.createService({ body });
      await page.goto(`${origin}/me/services/${id}/model`);
      await go(new RegExp(`^${start}`));
      await type('Name', 'Changed', null);
      await page.getByRole('treeitem', { name: /^Changed/ }).waitFor();
      await press('button', 'Deploy');
      await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
      const ended = await kethub.client.startJob({ serviceId: id, json, headers: { prefer: 'wait=60' } });
      expect(ended).toMatchObject({ status: 'SUCCEEDED' });
    }
  });

  test('what does not run is marked, the mark of bpmn.io is visible, and 300 elements are drawn', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${workflowId}/model`);
    await page.getByRole('treeitem').first().waitFor();
    const open = async (xml: string): Promise<void> => {
      const file = { name: 'other.bpmn', mimeType: 'application/xml', buffer: Buffer.from(xml) };
      await page.getByLabel('BPMN file').setInputFiles(file);
    };
    await open(manyElements(100));
    await page.getByRole('treeitem').nth(101).waitFor();
    await picture(page, 'modeller-300');
    await open(manyElements(1, 'userTask'));
    await page.getByRole('button', { name: /Nobody works on tasks/ }).waitFor();
    await page.locator('.problem-mark').waitFor();
    const mark = page.locator('.bjs-powered-by');
    expect(await mark.isVisible()).toBe(true);
    const box = await mark.boundingBox();
    const at = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    expect(await page.evaluate(`document.elementFromPoint(${at.join(',')})?.closest('.bjs-powered-by') !== null`)).toBe(
      true,
    );
  });

  test('a called process without a drawing is laid out: in the outline, in the modeller and at its instance', async () => {
    const { page, origin, kethub } = dashboard;
    const { go, type } = keysOf(page);
    const [whole, , end] = CALLING.split(/(?=<bpmndi:BPMNDiagram id="d2">)|(?=<\/definitions>)/);
    const id = await draft(`${whole}${end}`);
    await page.goto(`${origin}/me/services/${id}/model`);
    await page.getByRole('treeitem', { name: /^outer Process/ }).waitFor();
    await page
      .getByRole('region', { name: 'Problems' })
      .getByText(/^Warning: Elements without a drawing/)
      .waitFor();
    await go(/^Twice/);
    await page.locator('.canvas [data-element-id="twice"]').waitFor();
    await picture(page, 'awkward-called');
    await type('Name', 'Twice it', null);
    await go(/^Begin/);
    await page.locator('.canvas [data-element-id="start"]').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('treeitem', { name: /^Twice Script/ }).waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await go(/^inner Process/);
    await page.locator('.canvas [data-element-id="twice"]').waitFor();
    expect(await page.getByRole('textbox', { name: 'Id', exact: true }).inputValue()).toBe('inner');
    await expect.poll(() => saved(id), { timeout: 60_000 }).toMatch(/name="Twice it"[^]*bpmnElement="twice"/);
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
    // The instance is that of the file as its author had it, without a drawing.
    const bare = await draft(`${whole}${end}`);
    await kethub.client.publishServiceVersion({ serviceId: bare, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await kethub.client.startJob({ serviceId: bare, json: { x: 'none' }, headers: { prefer: 'wait=2' } });
    const instances = () => kethub.client.listWorkflowInstances({ serviceId: bare });
    const child = async () => (await instances()).find(({ parentId }) => parentId !== null)?.id;
    await expect.poll(child, { timeout: 60_000 }).toBeDefined();
    await page.goto(`${origin}/me/services/${bare}/instances/${await child()}`);
    await page.getByRole('treeitem', { name: /^Large\?/ }).waitFor();
    await page.locator('.token.incident').waitFor();
    await picture(page, 'awkward-called-instance');
  }, 180_000);

  test('a second process is added by keys, called, run, removed and taken back', async () => {
    const { page, origin, kethub } = dashboard;
    const { choose, go, press, type } = keysOf(page);
    const id = await draft(newFile('Flow'));
    await page.goto(`${origin}/me/services/${id}/model`);
    await page.getByRole('treeitem', { name: /^Request/ }).waitFor();
    await press('button', 'Add a process');
    await go(/^Process_/);
    await type('Id', 'twice');
    await page.getByRole('treeitem', { name: /^twice Process/ }).waitFor();
    await go(/^Start event/);
    await choose('Append…', 'Script task');
    await page.getByRole('treeitem', { name: /^Script task/, selected: true }).waitFor();
    await type('Expression', '=x * 2');
    await type('Variable that takes its value', 'y');
    await choose('Append…', 'End event');
    await page.getByRole('treeitem', { name: /^End event/, selected: true }).waitFor();
    await go(/^Request/);
    await choose('Append…', 'Call activity');
    await page.getByRole('treeitem', { name: /^Call activity/, selected: true }).waitFor();
    await type('Process', 'twice');
    await choose('Append…', 'End event');
    await press('button', 'Add a field of the result');
    await type('Variable', 'y');
    await type(/^Value of/, '=y');
    await page.getByText('It can be deployed.').waitFor();
    await picture(page, 'modeller-two-processes');
    // The whole process goes and comes back in one step each.
    await go(/^twice Process/);
    const rows = () => page.getByRole('treeitem').count();
    const before = await rows();
    await press('button', 'Delete this process');
    await page.getByRole('treeitem', { name: /^Script task/ }).waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Problems' }).getByText(/twice/).first().waitFor();
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(rows).toBe(before);
    await page.keyboard.press('ControlOrMeta+Y');
    await page.getByRole('treeitem', { name: /^Script task/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+Z');
    await expect.poll(rows).toBe(before);
    await page.getByText('It can be deployed.').waitFor();
    await press('button', 'Deploy');
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
    const ended = await kethub.client.startJob({ serviceId: id, json: { x: 4 }, headers: { prefer: 'wait=60' } });
    expect(ended).toMatchObject({ status: 'SUCCEEDED' });
    await page.reload();
    await go(/^Script task/);
    await page.locator('.canvas .djs-element.selected').waitFor();
  }, 120_000);

  test('keys undo, redo, delete and save wherever the focus is', async () => {
    const { page, origin } = dashboard;
    const { choose, go, press } = keysOf(page);
    const id = await draft(newFile('Flow'));
    await page.goto(`${origin}/me/services/${id}/model`);
    await go(/^Request/);
    await choose('Append…', 'Script task');
    const task = page.getByRole('treeitem', { name: /^Script task/ });
    const said = page.getByRole('status', { name: 'Last change' });
    await said.getByText('Script task added.').waitFor({ state: 'attached' });
    await go(/^Script task/);
    await page.keyboard.press('ControlOrMeta+Z');
    await task.waitFor({ state: 'detached' });
    await said.getByText('Undone: Script task removed.').waitFor({ state: 'attached' });
    const focused = page.getByRole('treeitem').and(page.locator(':focus'));
    await focused.waitFor();
    await page.keyboard.press('ControlOrMeta+Y');
    await go(/^Script task/);
    await page.keyboard.press('Delete');
    await task.waitFor({ state: 'detached' });
    await page
      .getByRole('treeitem', { name: /^Request/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('ControlOrMeta+Z');
    await task.waitFor();
    await page.keyboard.press('ControlOrMeta+Shift+Z');
    await task.waitFor({ state: 'detached' });
    // A button has the focus, then a text: its own undo stays with the field.
    await page.getByRole('button', { name: 'File…' }).focus();
    await page.keyboard.press('ControlOrMeta+Z');
    await task.waitFor();
    await page.getByRole('region', { name: 'General' }).getByRole('textbox', { name: 'Name' }).focus();
    await page.keyboard.press('ControlOrMeta+Z');
    await page.keyboard.press('ControlOrMeta+S');
    await expect.poll(() => saved(id), { timeout: 30_000 }).toContain('scriptTask');
    await task.waitFor();
    await go(/^Script task/);
    await choose('Change to…', 'Receive task');
    await page.getByRole('treeitem', { name: /^Receive task/, selected: true }).waitFor();
    await go(/^Request/);
    await press('button', 'to Receive task');
    await page.getByRole('heading', { name: 'Request to Receive task' }).waitFor();
    await press('button', 'Delete');
    await expect.poll(() => page.getByRole('button', { name: 'to Receive task' }).count()).toBe(0);
    await picture(page, 'awkward-keys');
  }, 120_000);

  test('a service that is subscribed beside the modeller is offered without a reload', async () => {
    const { page, origin, kethub } = dashboard;
    const { service } = await deploy(kethub.client, 'Later', FILES);
    await page.goto(`${origin}/me/services/${await draft(newFile('Flow'))}/model`);
    await page.getByRole('tab', { name: 'Services' }).click();
    await page.getByRole('button', { name: 'Doubler' }).waitFor();
    await kethub.client.subscribe({ applicationId: caller, json: { serviceId: service.id } });
    await page.getByRole('button', { name: 'Later' }).waitFor({ timeout: 60_000 });
    await page.getByRole('tab', { name: 'Outline' }).click();
    await keysOf(page).go(/^Request/);
    await keysOf(page).choose('Append…', 'Later');
    // Its required parameters came with it.
    await page.getByRole('textbox', { name: 'data', exact: true }).waitFor();
  }, 120_000);

  test('a task with an application of its own is judged by what that one has subscribed to', async () => {
    const { page, origin, kethub } = dashboard;
    const { client } = kethub;
    const { id: other } = await client.createApplication({ json: { name: 'Other callers' } });
    const { service } = await deploy(client, 'Elsewhere', FILES);
    const task = (id: string, name: string, application: string): string =>
      `<serviceTask id="${id}" name="${name}"><extensionElements><zeebe:taskDefinition xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" type="platform-service" /><zeebe:taskHeaders xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"><zeebe:header key="serviceId" value="${service.id}" /><zeebe:header key="applicationId" value="${application}" /></zeebe:taskHeaders></extensionElements></serviceTask>`;
    const unknown = '00000000-0000-4000-8000-000000000000';
    const id = await draft(
      manyElements(2, 'serviceTask')
        .replace('<serviceTask id="task0" name="Task 0" />', task('task0', 'Task 0', other))
        .replace('<serviceTask id="task1" name="Task 1" />', task('task1', 'Task 1', unknown)),
    );
    await page.goto(`${origin}/me/services/${id}/model`);
    const problems = page.getByRole('region', { name: 'Problems' });
    const unsubscribed = problems.getByRole('button', {
      name: /^Task 0 ?The application of this task is not subscribed/,
    });
    await unsubscribed.waitFor();
    await problems
      .getByRole('button', { name: /^Task 1 ?The owner of the workflow has no such application/ })
      .waitFor();
    await picture(page, 'awkward-application');
    await client.subscribe({ applicationId: other, json: { serviceId: service.id } });
    await unsubscribed.waitFor({ state: 'detached', timeout: 60_000 });
    await keysOf(page).go(/^Task 1/);
    const called = page.getByRole('region', { name: 'Service', exact: true });
    await called.getByRole('combobox', { name: 'Application' }).selectOption({ label: 'Other callers' });
    await problems.getByText('It can be deployed.').waitFor();
    expect(await called.getByRole('combobox', { name: 'Service' }).inputValue()).toBe(service.id);
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
  }, 120_000);

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const [instance] = await dashboard.kethub.client.listWorkflowInstances({ serviceId: workflowId });
    const screens = [`/me/services/${workflowId}/model`, `/me/services/${workflowId}/instances/${instance?.id}`];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
