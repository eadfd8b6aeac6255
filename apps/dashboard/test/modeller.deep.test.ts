import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
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

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const [instance] = await dashboard.kethub.client.listWorkflowInstances({ serviceId: workflowId });
    const screens = [`/me/services/${workflowId}/model`, `/me/services/${workflowId}/instances/${instance?.id}`];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
