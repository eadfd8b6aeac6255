import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { workflowForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchForeignWorkflows, ForeignWorkflowsMissing, workflowFilesIn } from '../../../script/foreign-workflows.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { followChecks } from './checks.ts';
import { manyElements } from './many-elements.ts';

/** Files that are opened, half of each tool, spread over all that have a diagram. */
const FILES = 100;

describe.skipIf(!existsSync(PROGRAM))('files of other tools in the modeller', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('a hundred are opened and checked without an exception, and none is left half drawn', async (context) => {
    const { page, origin, kethub, complaints } = dashboard;
    const files = foreign((reason) => context.skip(`the files cannot be fetched: ${reason}`));
    const body = workflowForm({ name: 'Foreign', source: new Blob([manyElements(1)]) });
    const { id } = await kethub.client.createService({ body });
    const checks = await followChecks(page);
    await page.goto(`${origin}/me/services/${id}/model`);
    await checks.after(0);
    let drawn = 0;
    const refused: string[] = [];
    const failure = page.getByText(/cannot be drawn|cannot be opened/);
    for (const { name, text } of files) {
      const before = await checks.count();
      // The canvas of the file before is marked, so that it is not taken for that of this one.
      await page.evaluate('document.querySelector(".djs-container").dataset.old = ""');
      await page
        .getByLabel('BPMN file')
        .setInputFiles({ name: 'foreign.bpmn', mimeType: 'application/xml', buffer: text });
      const element = page.locator('.djs-container:not([data-old]) .djs-element');
      await element.first().or(failure).first().waitFor({ state: 'attached' });
      if ((await failure.count()) === 0) await checks.after(before);
      if (await failure.count()) refused.push(`${name}: ${await failure.first().innerText()}`);
      else drawn++;
      expect(complaints, name).toEqual([]);
    }
    process.stdout.write(`${drawn} of ${files.length} files of other tools drawn; ${refused.length} refused\n`);
    expect(refused).toEqual([]);
    expect(drawn).toBe(FILES);
  }, 600_000);
});

function foreign(onMissing: (reason: string) => never): { name: string; text: Buffer }[] {
  try {
    const folder = fetchForeignWorkflows();
    const all = workflowFilesIn(folder).map((name) => ({ name, text: readFileSync(path.join(folder, name)) }));
    const withDiagram = Map.groupBy(
      all.filter(({ text }) => text.includes('BPMNShape')),
      ({ name }) => name.split(path.sep)[0],
    );
    return [...withDiagram.values()].flatMap((files) => {
      const each = FILES / withDiagram.size;
      return Array.from({ length: each }, (_, at) => files[Math.floor((at * files.length) / each)] ?? []).flat();
    });
  } catch (error) {
    if (error instanceof ForeignWorkflowsMissing) return onMissing(error.message);
    throw error;
  }
}
