import { existsSync, readFileSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { BOUNDARIES, KINDS, runs } from '../src/modeller/kit/runs.ts';
import { newFile } from '../src/modeller/kit/new-file.ts';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { keysOf } from './keys.ts';

/** A control of a form, as the page has it. */
interface Control {
  readonly localName: string;
  readonly type: string;
  readonly outerHTML: string;
  readonly dataset: Readonly<Record<string, string>>;
  readonly labels?: ArrayLike<{ readonly textContent: string }>;
  readonly options: Iterable<{ readonly selected: boolean; readonly value: string }>;
}

describe.skipIf(!existsSync(PROGRAM))('every element in the modeller', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.kethub;
    const { service } = await deploy(client, 'Doubler', {
      'src/program.py': 'def run(data=0):\n    return {"doubled": data}\n',
    });
    const { id: applicationId } = await client.createApplication({ json: { name: 'Callers' } });
    await client.subscribe({ applicationId, json: { serviceId: service.id } });
    const source = new Blob([newFile('All')], { type: 'application/xml' });
    const { id } = await client.createService({ body: workflowForm({ name: 'All', applicationId, source }) });
    const { page, origin } = dashboard;
    // The drawing is taken back: nothing has to be saved.
    await page.route('**/versions/*/source', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.goto(`${origin}/me/services/${id}/model`);
    await page.getByRole('treeitem', { name: /^Request/ }).waitFor();
  }, 240_000);
  afterAll(() => dashboard?.close());
  beforeEach(takeBackAll);

  /** The file as it is drawn now, without the places: bpmn-js leaves the box of a label behind that is taken back. */
  async function drawn(): Promise<string> {
    const { page } = dashboard;
    await page.getByRole('button', { name: 'File…' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download as .bpmn' }).click();
    await page.getByRole('menu', { name: 'File…' }).waitFor({ state: 'detached' });
    const [process = ''] = readFileSync(await (await download).path(), 'utf8').split('<bpmndi:BPMNDiagram');
    // Only prefixes that are used are declared in a file that is written.
    return process.replaceAll(/ xmlns:\w+="[^"]*"/g, '');
  }

  async function takeBackAll(): Promise<void> {
    while (await undo().isEnabled()) await undo().click();
  }

  const undo = (): Locator => dashboard.page.getByRole('button', { name: 'Undo' });
  const inspector = (): Locator => dashboard.page.getByRole('complementary', { name: 'Inspector' });

  /** Waits until the file is another one than before; returns it. */
  async function changed(before: string): Promise<string> {
    let now = before;
    await expect.poll(async () => (now = await drawn()) !== before, { timeout: 20_000 }).toBe(true);
    return now;
  }

  /** One action, after which the file was `last`, is one step of undo. */
  async function takeBackTo(before: string, last: string, what: string): Promise<void> {
    await undo().click();
    expect(await changed(last), what).toBe(before);
  }

  /** Presses every button that adds something, chooses a loop, and returns the file then. */
  async function openEverything(): Promise<void> {
    let before = await drawn();
    const loop = inspector().getByLabel('For each item of a list');
    if ((await loop.count()) > 0) {
      await loop.selectOption('parallel');
      before = await changed(before);
    }
    const adders = inspector().getByRole('button', { name: /^Add a/ });
    for (let at = 0; at < (await adders.count()); at++) {
      await adders.nth(at).click();
      before = await changed(before);
    }
  }

  /** Changes each control of the form and takes it back. Returns how many there were. */
  async function changeEach(): Promise<number> {
    const controls = inspector().locator('input:visible, textarea:visible, select:visible');
    const count = await controls.count();
    const before = await drawn();
    for (let at = 0; at < count; at++) {
      const control = controls.nth(at);
      const what = await control.evaluate((node: Control) => node.labels?.[0]?.textContent ?? node.outerHTML);
      // The way to look at a Request Schema is no part of the file.
      if ((await control.getAttribute('type')) === 'radio') continue;
      await change(control, what);
      await takeBackTo(before, await changed(before), `${what} is taken back`);
    }
    return count;
  }

  async function change(control: Locator, what: string): Promise<void> {
    const kind = await control.evaluate((node: Control) => `${node.localName} ${node.type}`);
    if (kind === 'input checkbox') return control.click();
    if (kind.startsWith('select')) {
      const other = await control.evaluate(
        (node: Control) => [...node.options].find(({ selected }) => !selected)?.value ?? '',
      );
      return void (await control.selectOption(other));
    }
    const text = what.startsWith('Example') ? '{"field1": "other"}' : /^Id\b/.test(what) ? 'Other' : '=other';
    await control.fill(text);
    return control.blur();
  }

  async function barriers(name: string): Promise<readonly string[]> {
    const { page } = dashboard;
    // A menu that is on its way out is empty already.
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      found.push(...(await violationsInDialog(page)).map((one) => `${colorScheme}: ${one}`));
      await picture(page, `element-${name}-${colorScheme}`);
    }
    return found;
  }

  test.each([...KINDS, ...BOUNDARIES])(
    '$name: its form has no barrier, and each field is taken back',
    async ({ id, name }) => {
      const { page } = dashboard;
      const { choose, go } = keysOf(page);
      const empty = await drawn();
      if (id.startsWith('boundary')) {
        await go(/^Request/);
        await choose('Append…', 'Sub-process');
        await page.getByRole('treeitem', { name: /^Sub-process/, selected: true }).waitFor();
        await choose('Attach…', name);
      } else {
        await go(/^Request/);
        await choose('Append…', name);
      }
      await page.getByRole('treeitem', { selected: true }).and(page.locator(':not([data-row="Start"])')).waitFor();
      await openEverything();
      expect(await barriers(id)).toEqual([]);
      expect(await changeEach()).toBeGreaterThan(0);
      await takeBackAll();
      await expect.poll(drawn, { timeout: 20_000 }).toBe(empty);
    },
    300_000,
  );

  test('the start event and the process: the forms have no barrier, and each field is taken back', async () => {
    const { go } = keysOf(dashboard.page);
    const empty = await drawn();
    await go(/^Request/);
    await openEverything();
    expect(await barriers('start')).toEqual([]);
    await changeEach();
    await takeBackAll();
    await expect.poll(drawn, { timeout: 20_000 }).toBe(empty);
    await dashboard.page.reload();
    await dashboard.page.getByRole('treeitem', { name: /^Request/ }).waitFor();
    await changeEach();
    expect(await barriers('process')).toEqual([]);
  }, 300_000);

  test.each([
    [/^Request/, 'replace-with-message-start', 'replace-with-conditional-start'],
    ['Service task', 'replace-with-script-task', 'replace-with-user-task'],
    ['Exclusive gateway', 'replace-with-parallel-gateway', 'replace-with-complex-gateway'],
    ['Sub-process', 'replace-with-collapsed-subprocess', 'replace-with-transaction'],
    ['End event', 'replace-with-error-end', 'replace-with-compensation-end'],
  ] as const)(
    'pad and menu of %s offer what runs',
    async (kind, offered, refused) => {
      const { page } = dashboard;
      const { choose, go } = keysOf(page);
      await go(/^Request/);
      if (typeof kind === 'string') await choose('Append…', kind);
      await page.getByRole('treeitem', { selected: true }).waitFor();
      await page.locator('.djs-context-pad .entry[data-action="replace"]').click();
      const entries = page.locator('.djs-popup .entry');
      await entries.first().waitFor();
      const ids = await entries.evaluateAll((all: Control[]) => all.map(({ dataset }) => dataset['id'] ?? ''));
      await picture(page, `menu-${offered}`);
      expect(ids).toContain(offered);
      expect(ids).not.toContain(refused);
      expect(ids.filter((one) => !runs(one))).toEqual([]);
      await page.keyboard.press('Escape');
      const pad = page.locator('.djs-context-pad .entry');
      const actions = await pad.evaluateAll((all: Control[]) => all.map(({ dataset }) => dataset['action'] ?? ''));
      expect(actions).toContain('replace');
      expect(actions.filter((one) => !runs(one) || one.includes('condition'))).toEqual([]);
    },
    60_000,
  );

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
