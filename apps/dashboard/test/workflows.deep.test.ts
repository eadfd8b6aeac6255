import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { bpmn, calls, deployWorkflow, start } from '@kethub/server/testing/workflows';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const { chain, end, file, flow, gateway, service } = bpmn;
const FILES = { 'src/program.py': 'def run(data=0):\n    return {"doubled": data * 2}\n' };

/** Doubles `x` where it is greater than 1: a text there is an incident. */
const workflow = (serviceId: string): string =>
  file([
    start(),
    gateway('exclusive', 'which'),
    service('double', { in: { data: '=x' }, out: { answer: '=doubled' }, extensions: calls(serviceId) }),
    end('end', { x: '=x', answer: '=answer' }),
    chain('start', 'which'),
    flow('which', 'double', '=x > 1'),
    flow('which', 'end', '=x <= 1'),
    chain('double', 'end'),
  ]);
/** Refused at deployment: its call activity names a process that is not there. */
const BROKEN = file([start(), bpmn.call('call', 'elsewhere'), end('end'), chain('start', 'call', 'end')]);

describe.skipIf(!existsSync(PROGRAM))('workflows in a browser', () => {
  let dashboard: Dashboard;
  let doubler: string;
  let workflowId: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    doubler = (await deploy(dashboard.kethub.client, 'Doubler', FILES)).service.id;
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('a file is uploaded, and what keeps it from being deployed stands at the draft', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/workflows`);
    await page.getByRole('link', { name: 'Upload a file' }).click();
    const buffer = Buffer.from(BROKEN);
    await page
      .getByLabel('ZIP or BPMN file')
      .setInputFiles({ name: 'Doubling.bpmn', mimeType: 'application/xml', buffer });
    await page.getByRole('button', { name: 'Upload and build' }).click();
    await page.getByText('Not deployable yet').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'call: ' }).waitFor();
    await picture(page, 'workflow-problems');
    expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
    workflowId = /services\/([0-9a-f-]+)\/versions$/.exec(page.url())?.[1] ?? '';
  });

  test('the mended file is published with an application', async () => {
    const { page, kethub } = dashboard;
    const { id } = await kethub.client.createApplication({ json: { name: 'Caller' } });
    await kethub.client.subscribe({ applicationId: id, json: { serviceId: doubler } });
    await page.getByRole('button', { name: 'Upload new source' }).click();
    const buffer = Buffer.from(workflow(doubler));
    await page
      .getByLabel('ZIP or BPMN file')
      .setInputFiles({ name: 'Doubling.bpmn', mimeType: 'application/xml', buffer });
    await page.getByRole('dialog').getByRole('button', { name: 'Upload and build' }).click();
    await page.getByRole('combobox', { name: 'Application of 1.0.0' }).click();
    await page.getByRole('option', { name: 'Caller', exact: true }).click();
    await expect
      .poll(async () => (await kethub.client.getServiceVersion({ serviceId: workflowId, version: '1.0.0' })).workflow)
      .toMatchObject({ applicationId: id, problems: [] });
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published', { exact: true }).waitFor();
    await page.goto(`${dashboard.origin}/me/workflows`);
    await page.getByRole('link', { name: 'Doubling' }).waitFor();
  });

  test('an incident is mended with a corrected variable, and keeps every digit of the others', async () => {
    const { page, kethub, origin } = dashboard;
    const jsonText = '{"x": "<b>three</b>", "large": 12345678901234567890}';
    await kethub.client.startJob({ serviceId: workflowId, jsonText, headers: { prefer: 'wait=60' } });
    await page.goto(`${origin}/me/services/${workflowId}/instances`);
    await page.getByRole('region', { name: 'Stands still' }).getByRole('link').click();
    await page.getByRole('alert').getByText('Stands still at which').waitFor();
    const variables = page.getByLabel('Variables there');
    await variables.waitFor();
    expect(await variables.inputValue()).toContain('12345678901234567890');
    await picture(page, 'workflow-incident');
    await variables.fill('[');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => variables.getAttribute('aria-invalid')).toBe('true');
    await variables.fill('{ "x": 5, "large": 12345678901234567890 }');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole('tab', { name: 'Journal' }).click();
    await page.getByText('ended: completed').waitFor();
  });

  test('variables of each step, executions of tasks and the log stand below the diagram', async () => {
    const { page } = dashboard;
    await page.getByRole('tab', { name: 'Variables' }).click();
    const process = page.getByRole('region', { name: 'Variables of process' });
    await process.getByText('answer: 10').waitFor();
    await picture(page, 'workflow-instance');
    const slider = page.getByRole('slider', { name: 'Step of the journal' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('As they were after step 1.').waitFor();
    await process.getByText('<b>three</b>').waitFor();
    await process.getByText('12345678901234567890').waitFor();
    expect(await process.getByText('answer').count()).toBe(0);
    await expect.poll(() => page.url()).toContain('step=1');
    await picture(page, 'workflow-instance-step');
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await process.getByText('answer: 10').waitFor();
    await page.getByRole('combobox', { name: 'Element' }).click();
    await page.getByRole('option', { name: 'double', exact: true }).click();
    await page.getByText('double is not open there').waitFor();
    await page.getByRole('tab', { name: 'Executions' }).click();
    await page.getByRole('row', { name: /double.*Doubler.*Succeeded/ }).waitFor();
    await picture(page, 'workflow-instance-executions');
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByText('The workflow has ended: COMPLETED').waitFor();
    // The view can be sent to a colleague.
    await page.reload();
    await page.getByText('The workflow has ended: COMPLETED').waitFor();
    await page.getByRole('link', { name: 'Its execution' }).click();
    await page.getByText('Succeeded', { exact: true }).waitFor();
  });

  test('instances are filtered by state, version, element, error and day, and counted', async () => {
    const { page, kethub, origin } = dashboard;
    await kethub.client.startJob({ serviceId: workflowId, json: { x: 'a' }, headers: { prefer: 'wait=60' } });
    await kethub.client.startJob({ serviceId: workflowId, json: { x: 0 }, headers: { prefer: 'wait=60' } });
    await page.goto(`${origin}/me/services/${workflowId}/instances`);
    const states = page.getByRole('navigation', { name: 'Instances by state' });
    await states.getByRole('link', { name: 'All 3' }).waitFor();
    await picture(page, 'workflow-instances');
    const rows = page.locator('tbody tr').filter({ hasText: '1.0.0' });
    await states.getByRole('link', { name: 'Stand still 1' }).click();
    await expect.poll(() => page.url()).toContain('incidents=true');
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await page
      .getByRole('button', { name: 'Show all' })
      .or(page.getByRole('link', { name: 'Show all' }))
      .click();
    await expect.poll(() => rows.count()).toBe(3);
    const element = page.getByRole('textbox', { name: 'Element with an incident' });
    await element.fill('double');
    await element.press('Enter');
    await page.getByText('No instance fits this filter').waitFor();
    await states.getByRole('link', { name: 'All 0' }).waitFor();
    await element.fill('which');
    await element.press('Enter');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByLabel('Started from (UTC)').fill('2100-01-01');
    await page.getByText('No instance fits this filter').waitFor();
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(1);
    const id = (await kethub.client.listWorkflowIncidents({ serviceId: workflowId }))[0]?.executionId ?? '';
    await kethub.client.cancelOwnedExecution({ executionId: id });
    await page.getByText('No instance fits this filter').waitFor();
  });

  test('an instance is followed over a restart of the platform, and cancelled', async () => {
    const { page, kethub, origin } = dashboard;
    const { id } = await kethub.client.startJob({
      serviceId: workflowId,
      json: { x: 'late' },
      headers: { prefer: 'wait=60' },
    });
    await page.goto(`${origin}/me/services/${workflowId}/instances/${id}`);
    await page.getByRole('alert').getByText('Stands still at which').waitFor();
    await kethub.restart();
    const { incident = 0 } = (await kethub.client.getWorkflowInstance({ instanceId: id })).openIncidents[0] ?? {};
    await kethub.client.retryWorkflowIncident({ instanceId: id, incident, json: { variables: { x: 'later' } } });
    // The page learns of it without a reload.
    const last = async () =>
      (await kethub.client.getWorkflowInstance({ instanceId: id })).openIncidents[0]?.incident ?? 0;
    await expect.poll(last, { timeout: 60_000 }).toBeGreaterThan(incident);
    await expect.poll(() => page.getByLabel('Variables there').inputValue(), { timeout: 60_000 }).toContain('later');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await violationsInDialog(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
  });

  test('incidents of all workflows are tried again by their cause', async () => {
    const { page, kethub, origin } = dashboard;
    for (const x of ['"a"', '"<img src=x onerror=alert(1)>"'])
      await kethub.client.startJob({
        serviceId: workflowId,
        jsonText: `{"x": ${x}}`,
        headers: { prefer: 'wait=60' },
      });
    await page.goto(`${origin}/me`);
    await page.getByRole('link', { name: 'Incidents', exact: true }).click();
    await page.getByRole('link', { name: '2 incidents', exact: true }).waitFor();
    await picture(page, 'incidents');
    await page.getByRole('button', { name: 'Try all again …' }).click();
    const dialog = page.getByRole('dialog');
    expect(await violationsInDialog(page)).toEqual([]);
    const variables = dialog.getByLabel('Variables that are corrected first');
    await variables.fill('7');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('Variables are a JSON object').waitFor();
    await variables.fill('{ "x": 1 }');
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('2 incidents are tried again.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect
      .poll(() => kethub.client.listWorkflowIncidentGroups({}).then((groups) => groups.length), { timeout: 60_000 })
      .toBe(0);
    await page.reload();
    await page.getByText('Nothing stands still').waitFor();
  });

  test('a message says what has become of it', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${workflowId}/instances`);
    await page.getByRole('button', { name: 'Send a message' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('nobody-waits');
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('status').waitFor();
    await page.keyboard.press('Escape');
  });

  test('the Request Schema of a workflow is a form on its run page, filled with the example', async () => {
    const { page, kethub, origin } = dashboard;
    const schema = {
      type: 'object',
      properties: {
        large: { type: 'integer', description: 'Every digit is kept.' },
        note: { type: 'string' },
      },
      required: ['large'],
      examples: [{ large: 0, note: 'of the example' }],
    };
    const json = file([start(schema), end('end', { large: '=large', note: '=note' }), chain('start', 'end')]);
    const { service: made } = await deployWorkflow(kethub.client, 'Described', json);
    await page.goto(`${origin}/me/services/${made.id}/run`);
    const input = page.getByRole('region', { name: 'Input' });
    await expect.poll(() => input.getByLabel('note').inputValue()).toBe('of the example');
    await input.getByText('Every digit is kept.').waitFor();
    await input.getByLabel('large').fill('');
    await input.getByRole('button', { name: 'Run' }).click();
    await input.getByText('This is needed.').waitFor();
    await input.getByLabel('large').fill('12345678901234567890');
    await picture(page, 'workflow-run');
    await input.getByRole('button', { name: 'Run' }).click();
    await page.getByText('12345678901234567890').first().waitFor({ timeout: 60_000 });
    await page.getByText('Succeeded', { exact: true }).first().waitFor({ timeout: 60_000 });
  });

  test('an execution that fails says where and why, and leads to its instance', async () => {
    const { page, kethub, origin } = dashboard;
    const failing = file([start(), bpmn.errorEnd('no', 'NOT_TODAY', '="come <b>again</b>"'), chain('start', 'no')], {
      errors: ['NOT_TODAY'],
    });
    const { service: made } = await deployWorkflow(kethub.client, 'Failing', failing);
    await kethub.client.startJob({ serviceId: made.id, json: {}, headers: { prefer: 'wait=60' } });
    const [instance] = await kethub.client.listWorkflowInstances({ serviceId: made.id });
    await page.goto(`${origin}/me/executions/${instance?.id}`);
    const alert = page.getByRole('region', { name: 'Execution' }).getByRole('alert');
    await alert.getByText('no: come <b>again</b> (NOT_TODAY)').waitFor();
    await picture(page, 'workflow-failed');
    await alert.getByRole('link', { name: 'Its instance shows how far it got' }).click();
    await page.waitForURL(`**/services/${made.id}/instances/${instance?.id}`);
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const { client } = dashboard.kethub;
    await client.startJob({ serviceId: workflowId, json: { x: 'a' }, headers: { prefer: 'wait=60' } });
    const [instance] = await client.listWorkflowInstances({ serviceId: workflowId });
    const screens = [
      '/me/workflows',
      '/me/incidents',
      `/me/services/${workflowId}/versions`,
      `/me/services/${workflowId}/instances`,
      `/me/services/${workflowId}/instances/${instance?.id}`,
    ];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
