import { existsSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import { build } from '@kethub/server/testing/kethub';
import { asFile, bpmn, start } from '@kethub/server/testing/workflows';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const FILES = { 'src/program.py': 'def run(data=0):\n    return {"data": data}\n' };

describe.skipIf(!existsSync(PROGRAM))('signals and versions of pushes in a browser', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('a signal says how many it has reached, and what is wrong with its variables', async () => {
    const { page, origin, kethub } = dashboard;
    const source = asFile(bpmn.file([start(), bpmn.end('end'), bpmn.chain('start', 'end')]));
    await kethub.client.createService({ body: workflowForm({ name: 'Flow', source }) });
    await page.goto(`${origin}/me/workflows`);
    await page.getByRole('button', { name: 'Broadcast a signal' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('stop');
    await dialog.getByLabel('Variables as JSON').fill('[]');
    await dialog.getByRole('button', { name: 'Broadcast' }).click();
    await dialog.getByText('Variables are a JSON object').waitFor();
    await dialog.getByLabel('Variables as JSON').fill('{"why": 18446744073709551616}');
    await dialog.getByRole('button', { name: 'Broadcast' }).click();
    await dialog.getByText('Instances that waited for it: 0. Instances that it starts: 0.').waitFor();
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'signal');
  });

  test('a service says which pushes make its versions, and stops that', async () => {
    const { page, origin, kethub } = dashboard;
    const { client } = kethub;
    const { service } = await build(client, 'Adder', FILES);
    const { id: implementationId } = await client.createImplementation({ json: { name: 'adder' } });
    const json = { implementationId, on: 'TAG' as const, pattern: 'v*', action: 'DRAFT' as const };
    await client.setServiceSource({ serviceId: service.id, json });
    await page.goto(`${origin}/me/services/${service.id}/versions`);
    await page.getByText('Each push to a tag v* of the implementation makes a draft.').waitFor();
    await picture(page, 'automation');
    await page.getByRole('button', { name: 'End this' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await page.getByText('Each push to a tag').waitFor({ state: 'detached' });
    await expect(client.getServiceSource({ serviceId: service.id })).rejects.toMatchObject({ status: 404 });

    // It begins again, for the service that is there, with what is pushed from then on.
    await page.getByRole('button', { name: 'Make versions of pushes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Implementation' }).click();
    await page.getByRole('option', { name: 'adder' }).waitFor();
    // Escape closes the list alone, not the dialog around it.
    await page.keyboard.press('Escape');
    await page.getByRole('option', { name: 'adder' }).waitFor({ state: 'hidden' });
    await dialog.getByRole('combobox', { name: 'Implementation' }).click();
    await page.getByRole('option', { name: 'adder' }).click();
    const branch = dialog.getByRole('textbox', { name: 'Branch' });
    await branch.fill('..');
    await dialog.getByRole('button', { name: 'Begin' }).click();
    await dialog.getByText('is no name of a branch or of tags').waitFor();
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'automation-begins');
    await branch.fill('main');
    await dialog.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('Each push to the branch main of the implementation makes a draft.').waitFor();
    expect(await client.getServiceSource({ serviceId: service.id })).toMatchObject({ implementationId, on: 'BRANCH' });
    const body = new FormData();
    body.append('files', new Blob(['def run(data=0):\n    return {"pushed": data}\n']), 'src/program.py');
    const { commit } = await client.commitToImplementation({ implementationId, body });
    await expect
      .poll(async () => (await client.getServiceSource({ serviceId: service.id })).lastCommit, { timeout: 60_000 })
      .toBe(commit);
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
