import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { CALLING, HOSTILE } from './calling-workflow.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../../examples');
/** The id of the service that the examples call. */
const CALLED = '00000000-0000-4000-8000-0000000000c0';
const GRAPH = '{"nodes": ["a", "b"], "edges": [{"source": "a", "target": "b", "weight": 2}]}';

describe.skipIf(!existsSync(PROGRAM))('instances in a browser', () => {
  let dashboard: Dashboard;
  let caller: string;
  let maxcut: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.kethub;
    const files = globSync('src/*.py', { cwd: path.join(EXAMPLES, 'maxcut') });
    const sources = files.map((file) => [file, readFileSync(path.join(EXAMPLES, 'maxcut', file), 'utf8')] as const);
    const { service } = await deploy(client, 'Max-Cut', Object.fromEntries(sources));
    maxcut = service.id;
    caller = (await client.createApplication({ json: { name: 'Callers' } })).id;
    await client.subscribe({ applicationId: caller, json: { serviceId: maxcut } });
  }, 240_000);
  afterAll(() => dashboard?.close());

  const deployed = async (name: string, xml: string): Promise<string> => {
    const { client } = dashboard.kethub;
    const body = workflowForm({ name, applicationId: caller, source: new Blob([xml]) });
    const { id } = await client.createService({ body });
    await client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    return id;
  };

  test.each([
    ['workflow-sequential/maxcut-in-two-steps.bpmn', `{"graph": ${GRAPH}, "wanted": 1}`, 'A graph comes in'],
    ['workflow-parallel/maxcut-of-many.bpmn', `{"graphs": [${GRAPH}, ${GRAPH}]}`, 'Graphs come in'],
  ])(
    '%s is opened, changed, deployed, run and watched in the browser alone',
    async (file, input, start) => {
      const { page, origin, kethub } = dashboard;
      const xml = readFileSync(path.join(EXAMPLES, file), 'utf8').replaceAll(CALLED, maxcut);
      const body = workflowForm({ name: path.basename(file), applicationId: caller, source: new Blob([xml]) });
      const { id } = await kethub.client.createService({ body });
      await page.goto(`${origin}/me/services/${id}/model`);
      await page.getByRole('treeitem', { name: new RegExp(`^${start}`) }).click();
      const name = page.getByRole('region', { name: 'General' }).getByRole('textbox', { name: 'Name', exact: true });
      await name.fill('Changed');
      await page.getByRole('treeitem', { name: /^Changed/ }).waitFor();
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).click();
      expect(await (await kethub.client.downloadSource({ serviceId: id, version: '1.0.0' })).text()).toContain(
        'Changed',
      );
      await page.getByRole('region', { name: 'Input' }).getByText('JSON', { exact: true }).click();
      await page.getByLabel('Input as JSON').fill(input);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('Succeeded', { exact: true }).first().waitFor({ timeout: 60_000 });
      await page.goto(`${origin}/me/services/${id}/instances`);
      await page.locator('tbody').getByRole('link').first().click();
      await page.locator('.token.done').nth(2).waitFor();
      expect(await coveredLabels(page)).toEqual([]);
      await page
        .getByRole('region', { name: /^Variables of/ })
        .first()
        .waitFor();
      await picture(page, `instance-${path.basename(file)}`);
      await page.getByRole('tab', { name: 'Executions' }).click();
      await page
        .getByRole('row', { name: /Max-Cut.*Succeeded/ })
        .first()
        .waitFor();
      // The execution of a task leads to the task in its instance.
      await page
        .getByRole('row', { name: /Max-Cut.*Succeeded/ })
        .first()
        .getByRole('link')
        .first()
        .click();
      await page.getByRole('link', { name: 'The instance whose task has started it' }).click();
      await page.getByRole('treeitem', { selected: true }).waitFor();
      expect(page.url()).toContain('element=');
      // The execution leads to its instance and back, as does the list of what its tasks have started.
      const instance = page.url().replace(/\?.*/, '');
      await page.getByRole('link', { name: 'Its execution, with the result' }).click();
      await page.getByRole('link', { name: 'Its instance' }).click();
      await expect.poll(() => page.url()).toContain(instance);
      await page.goto(`${origin}/me/executions?workflow=${instance.split('/').at(-1)}`);
      await page.getByRole('link', { name: 'The instance whose tasks have started them' }).click();
      await expect.poll(() => page.url()).toContain(instance);
      // The slider and the list of elements lead to each step without the mouse.
      await page.getByRole('tab', { name: 'Variables' }).click();
      await page.getByRole('slider', { name: 'Step of the journal' }).focus();
      await page.keyboard.press('Home');
      await page.locator('.token').first().waitFor({ state: 'detached' });
      for (let step = 2; step < 8; step++) await page.keyboard.press('ArrowRight');
      await page.getByText('As they were after step 7.').waitFor();
      await picture(page, `instance-step-${path.basename(file)}`);
    },
    240_000,
  );

  test('an incident of a called process is shown at its caller, and mended by keys alone', async () => {
    const { page, origin, kethub } = dashboard;
    const id = await deployed('Calling', CALLING);
    const started = await kethub.client.startJob({
      serviceId: id,
      json: { x: HOSTILE },
      headers: { prefer: 'wait=60' },
    });
    await page.goto(`${origin}/me/services/${id}/instances/${started.id}`);
    await page.locator('.token.incident').waitFor();
    const alert = page.getByRole('alert');
    await alert.getByText('an incident in what it calls').waitFor();
    await alert.getByText(HOSTILE).waitFor();
    await picture(page, 'instance-calling');
    // The outline says the same, and is used with keys.
    const outline = page.getByRole('tree', { name: 'Elements' });
    await outline.getByRole('treeitem', { name: /^Begin.*done$/ }).focus();
    await page.keyboard.press('ArrowDown');
    await outline.getByRole('treeitem', { name: /stands still$/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Variables', selected: true }).and(page.locator(':focus')).waitFor();
    await page.getByRole('link', { name: 'Instances', exact: true }).first().click();
    const states = page.getByRole('navigation', { name: 'Instances by state' });
    await states.getByRole('link', { name: 'Stand still 2' }).click();
    await page.getByRole('row', { name: /Stands still.*in what it calls/ }).waitFor();
    await picture(page, 'instances-calling');
    await page.goto(`${origin}/me/services/${id}/instances/${started.id}`);
    await alert.getByRole('link', { name: 'Go there' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Stands still at Large?').waitFor();
    await page.locator('.token.incident').waitFor();
    expect(await coveredLabels(page)).toEqual([]);
    await picture(page, 'instance-called');
    await page.getByLabel('Variables there').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('{"x": 9007199254740993}');
    await page.getByRole('button', { name: 'Try again' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'The instance that has called it' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole('region', { name: 'Variables of outer' }).getByText('18014398509481986').waitFor();
    await page.getByRole('tab', { name: 'Where it is' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'What it has called' }).getByText('Completed').waitFor();
  }, 120_000);

  test('no instance or incident page has barriers, light and dark, with whatever tab', async () => {
    const { kethub } = dashboard;
    const id = await deployed('Standing', CALLING);
    const started = await kethub.client.startJob({
      serviceId: id,
      json: { x: HOSTILE },
      headers: { prefer: 'wait=60' },
    });
    const { children } = await kethub.client.getWorkflowInstance({ instanceId: started.id });
    const page = `/me/services/${id}/instances/${children[0]?.id}`;
    const tabs = ['incidents', 'variables', 'active', 'executions', 'journal', 'log'];
    const screens = [
      ...tabs.map((tab) => `${page}?tab=${tab}&step=3&element=which`),
      `/me/services/${id}/instances/${started.id}`,
      `/me/services/${id}/instances?incidents=true&element=which`,
      `/me/incidents?service=${id}`,
    ];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 240_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});

/** Labels of the diagram over which a mark lies. */
async function coveredLabels(page: Dashboard['page']): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.djs-element[data-element-id$="_label"] .djs-label')].flatMap((label) => {
    const one = label.getBoundingClientRect();
    const covers = [...document.querySelectorAll('.token')].some((mark) => {
      const other = mark.getBoundingClientRect();
      return other.left < one.right && other.right > one.left && other.top < one.bottom && other.bottom > one.top;
    });
    return covers ? [label.textContent] : [];
  })`);
}
