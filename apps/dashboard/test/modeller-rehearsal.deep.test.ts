import { existsSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { keysOf } from './keys.ts';

const FILES = { 'src/program.py': 'def run(data: int = 0) -> dict:\n    return {"doubled": data * 2}\n' };

/** A start event, a task that calls the service, and an end event. */
const workflow = (serviceId: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:kethub="urn:kethub:bpmn:1" id="Definitions_1" targetNamespace="urn:test">
  <bpmn:process id="Doubling" isExecutable="true">
    <bpmn:startEvent id="Start" name="Request"><bpmn:extensionElements>
      <kethub:requestSchema>{"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"], "examples": [{"number": 1}]}</kethub:requestSchema>
    </bpmn:extensionElements></bpmn:startEvent>
    <bpmn:serviceTask id="Double" name="Double it"><bpmn:extensionElements>
      <zeebe:taskDefinition type="platform-service" />
      <zeebe:taskHeaders><zeebe:header key="serviceId" value="${serviceId}" /></zeebe:taskHeaders>
      <zeebe:ioMapping><zeebe:input source="=number" target="data" /><zeebe:output source="=doubled" target="answer" /></zeebe:ioMapping>
    </bpmn:extensionElements></bpmn:serviceTask>
    <bpmn:endEvent id="End" name="Done"><bpmn:extensionElements>
      <zeebe:ioMapping><zeebe:output source="=answer" target="answer" /></zeebe:ioMapping>
    </bpmn:extensionElements></bpmn:endEvent>
    <bpmn:sequenceFlow id="Start_Double" sourceRef="Start" targetRef="Double" />
    <bpmn:sequenceFlow id="Double_End" sourceRef="Double" targetRef="End" />
  </bpmn:process>
  <bpmndi:BPMNDiagram id="Diagram"><bpmndi:BPMNPlane id="Plane" bpmnElement="Doubling">
    <bpmndi:BPMNShape id="Start_di" bpmnElement="Start"><dc:Bounds x="180" y="182" width="36" height="36" /></bpmndi:BPMNShape>
    <bpmndi:BPMNShape id="Double_di" bpmnElement="Double"><dc:Bounds x="280" y="160" width="100" height="80" /></bpmndi:BPMNShape>
    <bpmndi:BPMNShape id="End_di" bpmnElement="End"><dc:Bounds x="440" y="182" width="36" height="36" /></bpmndi:BPMNShape>
    <bpmndi:BPMNEdge id="Start_Double_di" bpmnElement="Start_Double"><di:waypoint x="216" y="200" /><di:waypoint x="280" y="200" /></bpmndi:BPMNEdge>
    <bpmndi:BPMNEdge id="Double_End_di" bpmnElement="Double_End"><di:waypoint x="380" y="200" /><di:waypoint x="440" y="200" /></bpmndi:BPMNEdge>
  </bpmndi:BPMNPlane></bpmndi:BPMNDiagram>
</bpmn:definitions>`;

describe.skipIf(!existsSync(PROGRAM))('rehearsing in a browser', () => {
  let dashboard: Dashboard;
  let address = '';
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.kethub;
    const { service } = await deploy(client, 'Doubler', FILES);
    const { id: applicationId } = await client.createApplication({ json: { name: 'Callers' } });
    await client.subscribe({ applicationId, json: { serviceId: service.id } });
    const source = new Blob([workflow(service.id)], { type: 'application/xml' });
    const { id } = await client.createService({ body: workflowForm({ name: 'Doubling', applicationId, source }) });
    await client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const ended = await client.startJob({ serviceId: id, json: { number: 21 }, headers: { prefer: 'wait=60' } });
    expect(ended).toMatchObject({ status: 'SUCCEEDED' });
    address = `${dashboard.origin}/me/services/${id}/model`;
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('with the answers of a real instance, step by step, back and forth', async () => {
    const { page } = dashboard;
    await page.goto(address);
    await page.getByRole('button', { name: 'Rehearse' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Answers').selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Take its input too' }).click();
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    const task = dialog.getByRole('region', { name: 'Double it waits' });
    await task.getByText('calls Doubler with {"data":21}').waitFor();
    expect(await task.getByLabel('Result of the service').inputValue()).toContain('"doubled":42');
    await picture(page, 'rehearsal-recorded');
    expect(await violationsInDialog(page, ['region'])).toEqual([]);
    await dialog.getByRole('button', { name: 'Go on as recorded' }).click();
    await dialog.getByText('Succeeded', { exact: true }).waitFor();
    await dialog.getByRole('region', { name: 'Result' }).getByText('answer: 42').waitFor();
    await dialog.getByRole('button', { name: 'Step back' }).click();
    await task.waitFor();
    await dialog.getByRole('button', { name: 'Step forward' }).click();
    await dialog.getByText('Succeeded', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Show step 1', exact: true }).click();
    await dialog.locator('.token').first().waitFor({ state: 'detached' });
  });

  test('with a call that really happens, an earlier result, and a failure that is mended', async () => {
    const { page } = dashboard;
    const dialog = page.getByRole('dialog');
    const task = dialog.getByRole('region', { name: 'Double it waits' });
    await dialog.getByRole('textbox', { name: 'Input' }).fill('{"number": 4}');
    await dialog.getByRole('button', { name: 'Start again' }).click();
    await task.getByText('calls Doubler with {"data":4}').waitFor();
    await task.getByRole('button', { name: 'Call the service' }).click();
    await dialog.getByRole('region', { name: 'Result' }).getByText('answer: 8').waitFor({ timeout: 60_000 });
    await dialog.getByRole('button', { name: 'Step back' }).click();
    await task.getByLabel('Take the result of an earlier execution').selectOption({ index: 1 });
    await expect.poll(() => task.getByLabel('Result of the service').inputValue()).toMatch(/"doubled": (?:8|42)/);
    await task.getByRole('button', { name: 'It fails' }).click();
    const incident = dialog.getByRole('region', { name: 'Incident at Double it' });
    await incident.getByLabel('Variables there').fill('{"number": 4, "data": 5}');
    await picture(page, 'rehearsal-incident');
    expect(await violationsInDialog(page, ['region'])).toEqual([]);
    await incident.getByRole('button', { name: 'Try again' }).click();
    await task.getByText('calls Doubler with {"data":5}').waitFor();
    await dialog.getByRole('textbox', { name: 'Input' }).fill('{"number": "four"}');
    await dialog.getByRole('button', { name: 'Start again' }).click();
    await dialog.getByText('The platform would refuse this input').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Rehearse');
  });

  test('fields suggest variables, members and functions, by keys', async () => {
    const { page } = dashboard;
    const { go } = keysOf(page);
    await page.goto(address);
    await go(/^Double it/);
    const field = page.getByRole('textbox', { name: 'data', exact: true });
    await field.focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('=num');
    await page.getByRole('option', { name: 'number integer' }).waitFor();
    await picture(page, 'modeller-suggestions');
    expect(await violationsInDialog(page, ['region'])).toEqual([]);
    await page.getByRole('option', { name: 'number integer', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toMatch(/^=number/);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('=get o');
    await page.getByRole('option', { name: /^get or else/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('number, 0');
    await expect.poll(() => field.inputValue()).toBe('=get or else(number, 0)');
    await page.keyboard.press('Escape');
    await page.getByText('→ 1', { exact: true }).waitFor();
  });

  test('a worker that does not come to an end is ended with a message, and another one goes on', async () => {
    const page = await dashboard.newPage();
    // No expression of FEEL runs for ever: the worker of this page is made to.
    await page.route('**/assets/worker-*.js', async (route) => {
      const response = await route.fetch();
      const hang = "addEventListener('message', ({ data }) => { if (data.source === '=forever') for (;;); });\n";
      await route.fulfill({ response, body: hang + (await response.text()) });
    });
    await page.goto(address);
    const { go, type } = keysOf(page);
    await go(/^Double it/);
    await type('data', '=forever');
    await page.getByText('took longer than 15 seconds').first().waitFor({ timeout: 60_000 });
    await go(/^Done/);
    await go(/^Double it/);
    await type('data', '=number + 1');
    await page.getByText('→ 2', { exact: true }).waitFor({ timeout: 60_000 });
    await page.close();
  }, 240_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
