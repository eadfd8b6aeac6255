import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { workflowForm } from '@kethub/client';
import { parse } from '@kethub/workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { amounts } from '@kethub/server/testing/amounts';
import { fetchForeignWorkflows, ForeignWorkflowsMissing, workflowFilesIn } from '../../../script/foreign-workflows.ts';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { followChecks } from './checks.ts';
import { manyElements } from './many-elements.ts';

/** Files of each tool that are opened, spread over all that have a diagram. */
const SETS = [
  { name: 'jBPM', files: amounts.foreignFiles, isOne: (name: string) => name.startsWith('jbpm-bpmn2') },
  { name: 'Camunda 7', files: amounts.foreignFiles, isOne: (name: string) => name.startsWith('camunda-engine') },
  {
    name: "Camunda's modeler",
    files: amounts.foreignFiles,
    isOne: (name: string, text: Buffer) =>
      name.startsWith('bpmn-io') && /exporter="camunda modeler"/i.test(text.toString('latin1')),
  },
  // The reference models of the Model Interchange Working Group: all that there are.
  { name: 'MIWG', files: 21, isOne: (name: string) => /miwg.[ABC][.\d]+bpmn$/.test(name) },
] as const;

describe.skipIf(!existsSync(PROGRAM))('files of other tools in the modeller', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('each is opened and checked without an exception, and what does not run is marked', async (context) => {
    const { page, origin, kethub, complaints } = dashboard;
    const files = foreign((reason) => context.skip(`the files cannot be fetched: ${reason}`));
    const body = workflowForm({ name: 'Foreign', source: new Blob([manyElements(1)]) });
    const { id } = await kethub.client.createService({ body });
    const checks = await followChecks(page);
    await page.goto(`${origin}/me/services/${id}/model`);
    await checks.after(0);
    const drawn: Record<string, number> = {};
    const refused: string[] = [];
    let marked = 0;
    const failure = page.getByText(/cannot be drawn|cannot be opened/);
    for (const { set, name, text } of files) {
      const before = await checks.count();
      // The canvas of the file before is marked, so that it is not taken for that of this one.
      await page.evaluate('document.querySelector(".djs-container").dataset.old = ""');
      await page
        .getByLabel('BPMN file')
        .setInputFiles({ name: 'foreign.bpmn', mimeType: 'application/xml', buffer: text });
      const element = page.locator('.djs-container:not([data-old]) .djs-element');
      const shown = element.first().or(failure).first();
      await expect.poll(() => shown.count(), { message: `${name} is drawn, or refused`, timeout: 30_000 }).toBe(1);
      if ((await failure.count()) === 0) await checks.after(before);
      // An association without a target is left out of the diagram, and bpmn-js says so in the console.
      const left = complaints.filter((one) => !one.startsWith('failed to import'));
      expect(left, name).toEqual([]);
      if (await failure.count()) {
        refused.push(`${name}: ${await failure.first().innerText()}`);
        continue;
      }
      drawn[set] = (drawn[set] ?? 0) + 1;
      // Shapes of this one of Camunda's modeler are lost in a diagram with two planes.
      if (name.endsWith('/ignore-missing-di.bpmn')) {
        await page.getByText(/^Warning: Elements without a drawing in the file: .* They were laid out here/).waitFor();
        await picture(page, 'foreign-without-drawing');
      }
      const wanted = await refusedElements(text);
      if (wanted.length === 0) continue;
      // An element of a process that the file does not draw stands in the list only.
      const there = await page.evaluate(`${JSON.stringify(wanted)}.filter((id) =>
        document.querySelector('.djs-container:not([data-old]) [data-element-id="' + CSS.escape(id) + '"]'))`);
      const marks = page.locator('.problem-mark');
      await expect.poll(() => marks.count(), { message: name }).toBeGreaterThanOrEqual((there as string[]).length);
      marked += (there as string[]).length;
      if (set === 'MIWG') await picture(page, `foreign-${path.basename(name, '.bpmn')}`);
    }
    process.stdout.write(`drawn ${JSON.stringify(drawn)}, ${marked} elements marked, ${refused.length} refused\n`);
    expect(refused).toEqual([]);
    expect(drawn).toEqual(
      Object.fromEntries(SETS.map((one) => [one.name, files.filter(({ set }) => set === one.name).length])),
    );
    expect(marked).toBeGreaterThan(100);
  }, 900_000);
});

/** Ids of elements that the platform refuses. */
async function refusedElements(text: Buffer): Promise<readonly string[]> {
  const parsed = await parse(text);
  const problems = 'problems' in parsed ? parsed.problems : [];
  return [...new Set(problems.flatMap(({ elementId }) => elementId ?? []))];
}

function foreign(onMissing: (reason: string) => never): { set: string; name: string; text: Buffer }[] {
  try {
    const folder = fetchForeignWorkflows();
    const all = workflowFilesIn(folder).map((name) => ({ name, text: readFileSync(path.join(folder, name)) }));
    return SETS.flatMap(({ name: set, files, isOne }) => {
      const own = all.filter(({ name, text }) => text.includes('BPMNShape') && isOne(name, text));
      return Array.from({ length: files }, (_, at) => own[Math.floor((at * own.length) / files)] ?? [])
        .flat()
        .map((one) => ({ set, ...one }));
    });
  } catch (error) {
    if (error instanceof ForeignWorkflowsMissing) return onMissing(error.message);
    throw error;
  }
}
