import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../run.ts';

const EXAMPLE = path.join(root, 'examples/workflow-sequential/maxcut-in-two-steps.bpmn');
/** The id in the example in place of that of the service. */
const CALLED = '00000000-0000-4000-8000-0000000000c0';
const EDGES = [
  { source: 'a', target: 'b', weight: 2 },
  { source: 'b', target: 'c', weight: 1 },
];
const INPUT = { graph: { nodes: ['a', 'b', 'c'], edges: EDGES }, wanted: 3 };
/** The service refuses an edge to a node that is not there. */
const REFUSED = { ...INPUT, graph: { ...INPUT.graph, edges: [...EDGES, { source: 'c', target: 'd' }] } };

/** Pictures of a workflow that is drawn, rehearsed and stands still. A person has signed in who owns the service. */
export async function workflowPictures(page: Page, serviceId: string): Promise<Record<string, Buffer>> {
  const { origin } = new URL(page.url());
  const address = await draw(page, origin, serviceId);
  const modeller = await page.screenshot();
  const rehearsal = await rehearse(page);
  return {
    'docs/images/modeller.png': modeller,
    'docs/images/rehearsal.png': rehearsal,
    'docs/images/instance.png': await standStill(page, address),
  };
}

/** Draws the example, and selects one of its tasks. Returns the address of the workflow. */
async function draw(page: Page, origin: string, serviceId: string): Promise<string> {
  await page.goto(`${origin}/me/workflows`);
  await page.getByRole('button', { name: 'New workflow' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Two steps');
  await page.getByRole('combobox', { name: 'Application' }).click();
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Draw it' }).click();
  await page.getByRole('treeitem', { name: /^Request/ }).waitFor();
  const buffer = Buffer.from(readFileSync(EXAMPLE, 'utf8').replaceAll(CALLED, serviceId));
  await page.getByLabel('BPMN file').setInputFiles({ name: 'two.bpmn', mimeType: 'application/xml', buffer });
  await page.getByRole('treeitem', { name: /^A graph comes in/ }).click();
  await page.getByRole('textbox', { name: 'Example' }).fill(JSON.stringify(INPUT));
  await page.getByRole('treeitem', { name: /^Look thoroughly/ }).click();
  await page.getByText(/^→ \{"nodes"/).waitFor();
  await page.getByText('It can be deployed.').waitFor();
  await page.getByText('1.0.0 · saved', { exact: true }).waitFor();
  return page.url().replace(/\/model.*/, '');
}

/** A rehearsal whose first task has been answered. */
async function rehearse(page: Page): Promise<Buffer> {
  await page.getByRole('button', { name: 'Rehearse' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Start' }).click();
  await dialog.getByRole('heading', { name: 'Look quickly' }).waitFor();
  await dialog.getByLabel('Result of the service').fill('{"cutValue": 2, "partition": {"a": 0, "b": 1, "c": 1}}');
  await dialog.getByRole('button', { name: 'It succeeds' }).click();
  await dialog.getByRole('heading', { name: 'Look thoroughly' }).waitFor();
  const picture = await page.screenshot();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return picture;
}

/** An instance whose task has failed. */
async function standStill(page: Page, address: string): Promise<Buffer> {
  await page.getByRole('button', { name: 'Deploy', exact: true }).click();
  await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).click();
  await page.getByRole('region', { name: 'Input' }).getByText('JSON', { exact: true }).click();
  await page.getByLabel('Input as JSON').fill(JSON.stringify(REFUSED));
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Failed', { exact: true }).first().waitFor();
  await page.goto(`${address}/instances`);
  await page.locator('tbody').getByRole('link').first().click();
  await page.locator('.token.incident').waitFor();
  await page.getByLabel('Variables there').waitFor();
  return page.screenshot({ fullPage: true });
}
