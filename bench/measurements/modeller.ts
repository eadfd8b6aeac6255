import { workflowForm } from '@kethub/client';
import { followChecks, type Checks } from '@kethub/dashboard/test/checks';
import { manyElements } from '@kethub/dashboard/test/many-elements';
import type { Page } from 'playwright-core';
import { ticksOf, withDashboard } from '../lib/browser.ts';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const ROUNDS = 7;
/** Tasks in a row: with start and end, and a path between each two, 301 elements. */
const TASKS = 149;
/** Milliseconds that the measurement waits for the browser. */
const LONGEST_MS = 150_000;

/** A diagram of 300 elements in the modeller: until it is drawn, and what a change costs until it is checked. */
export async function modeller(): Promise<Measurement[]> {
  return withDashboard(LONGEST_MS, async (page, origin, kethub) => {
    const checks = await followChecks(page);
    const source = new Blob([manyElements(TASKS)]);
    const { id } = await kethub.client.createService({ body: workflowForm({ name: 'Large', source }) });
    const opened: number[] = [];
    const main: number[] = [];
    const check: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const openMs = await open(page, checks, `${origin}/me/services/${id}/model`);
      const change = await changeOf(page, checks, `Round ${round}`);
      // The first round fills the caches of the browser.
      if (round === 0) continue;
      opened.push(openMs);
      main.push(change.mainMs);
      check.push(change.checkMs);
    }
    const sums = main.map((ms, at) => ms + (check[at] ?? 0));
    return [
      {
        name: 'Modeller: opening a diagram of 300 elements',
        unit: 'ms',
        value: median(opened),
        goal: { atMost: 2000 },
        how: `${ROUNDS} loads of the page of the draft by somebody who has been there: from the address to the last element drawn and listed`,
        rounds: { opened },
      },
      {
        name: 'Modeller: a change in a diagram of 300 elements, checked',
        unit: 'ms of processor time',
        value: median(sums),
        goal: { atMost: 500 },
        how: `${ROUNDS} changed names, from the key to the shown check: processor time of the page (ticks of its thread) and the time that the worker takes`,
        rounds: { main, check },
      },
    ];
  });
}

async function open(page: Page, checks: Checks, address: string): Promise<number> {
  const began = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('.canvas [data-element-id="end"]').waitFor({ state: 'attached' });
  await page
    .getByRole('treeitem')
    .nth(TASKS + 1)
    .waitFor();
  const took = performance.now() - began;
  await checks.after(0);
  return took;
}

/** Changes the name of a task, and waits until the file is checked again. */
async function changeOf(page: Page, checks: Checks, name: string): Promise<{ mainMs: number; checkMs: number }> {
  await page.getByRole('treeitem', { name: /^Task 7(?!\d)/ }).click();
  const field = page.getByRole('region', { name: 'General' }).getByRole('textbox', { name: 'Name', exact: true });
  await field.waitFor();
  const ticks = await ticksOf(page);
  const before = await ticks.now();
  const known = await checks.count();
  await field.fill(`Task 7 ${name}`);
  await page.getByRole('treeitem', { name: `Task 7 ${name}` }).waitFor();
  const checkMs = await checks.after(known);
  const mainMs = (await ticks.now()) - before;
  await ticks.end();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  return { mainMs, checkMs };
}
