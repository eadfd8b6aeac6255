import { existsSync, readFileSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { keysOf } from './keys.ts';
import { manyElements } from './many-elements.ts';
import { savedIn } from './drafts.ts';

const SOURCE = '**/versions/*/source';
/** Requests after which the dashboard gives a renewal up. */
const ATTEMPTS = 4;

describe.skipIf(!existsSync(PROGRAM))('saving in the modeller', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  }, 240_000);
  afterAll(() => dashboard?.close());

  /** A draft with two tasks, and the address of the modeller with it. */
  async function draft(name: string): Promise<{ readonly id: string; readonly address: string }> {
    const source = new Blob([manyElements(2)], { type: 'application/xml' });
    const { id } = await dashboard.kethub.client.createService({ body: workflowForm({ name, source }) });
    return { id, address: `${dashboard.origin}/me/services/${id}/model` };
  }
  const rename = async (page: Page, from: RegExp, name: string): Promise<void> => {
    const { go, type } = keysOf(page);
    await go(from);
    await type('Name', name, null);
    await page.getByRole('treeitem', { name: new RegExp(`^${name}`) }).waitFor();
  };

  test('a change is saved by itself', async () => {
    const { page } = dashboard;
    const { id, address } = await draft('By itself');
    await page.goto(address);
    await rename(page, /^Task 0/, 'First');
    await page.locator('.modeller-bar').getByText('· saved', { exact: false }).waitFor();
    await expect.poll(() => savedIn(dashboard, id), { timeout: 30_000 }).toContain('name="First"');
  });

  test('commands, and leaving the page, take what was typed a moment ago', async () => {
    const { page, origin, kethub } = dashboard;
    const { id, address } = await draft('A moment ago');
    const { go, type } = keysOf(page);
    await page.goto(address);
    await go(/^Task 0/);
    await page.locator('.modeller-bar').getByRole('button', { name: 'Deploy', disabled: false }).waitFor();
    await type('Name', 'Typed', null);
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
    expect(await savedIn(dashboard, id)).toContain('name="Typed"');
    await type('Name', 'Next', null);
    await page.keyboard.press('ControlOrMeta+S');
    await page.getByText(/^(?!1\.0\.0)\d+\.\d+\.\d+ · saved$/).waitFor();
    const [next] = (await kethub.client.getService({ serviceId: id })).versions;
    const saved = async () =>
      (await kethub.client.downloadSource({ serviceId: id, version: next?.version ?? '' })).text();
    expect(await saved()).toContain('name="Next"');
    await type('Name', 'Left', null);
    await page.getByRole('navigation', { name: 'Service' }).getByRole('link', { name: 'Versions' }).press('Enter');
    await expect.poll(saved, { timeout: 30_000 }).toContain('name="Left"');
    expect(await savedIn(dashboard, id)).toContain('name="Typed"');
    await page.goto(`${origin}/me/services/${id}/model`);
    await page.getByRole('treeitem', { name: /^Left/ }).waitFor();
    expect(await page.getByText('which were not saved').count()).toBe(0);
  });

  test('a renewal that fails leaves the modeller and what is typed', async () => {
    const { page, kethub } = dashboard;
    const { id, address } = await draft('Renewed');
    const { go, type } = keysOf(page);
    await page.goto(address);
    await go(/^Task 0/);
    const service = new RegExp(`/services/${id}$`);
    const answers: number[] = [];
    await page.route(service, (route) => {
      answers.push(500);
      return route.fulfill({ status: 500, body: '{}' });
    });
    await type('Name', 'Stays', null);
    // The autosave renews the service on the page.
    await expect.poll(() => savedIn(dashboard, id), { timeout: 30_000 }).toContain('name="Stays"');
    await expect.poll(() => answers.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(ATTEMPTS);
    await type('Name', 'Stays too', null);
    await page.getByRole('treeitem', { name: /^Stays too/ }).waitFor();
    await page.unroute(service);
    expect((await kethub.client.getService({ serviceId: id })).name).toBe('Renewed');
  });

  test('what was not saved is there again after a crash of the tab, and is saved then', async () => {
    const { id, address } = await draft('Crash');
    const page = await dashboard.newPage();
    await page.route(SOURCE, (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await page.goto(address);
    await rename(page, /^Task 1/, 'Kept');
    await page.getByText('this browser keeps it').waitFor();
    const crashed = page.waitForEvent('crash');
    await page.goto('chrome://crash').catch(() => undefined);
    await crashed;
    expect(await savedIn(dashboard, id)).not.toContain('Kept');
    const again = await dashboard.newPage();
    await again.goto(address);
    await again.getByText('which were not saved').waitFor();
    await again.getByRole('treeitem', { name: /^Kept/ }).waitFor();
    await picture(again, 'modeller-restored');
    await expect.poll(() => savedIn(dashboard, id), { timeout: 30_000 }).toContain('name="Kept"');
    await again.locator('.modeller-bar').getByText('· saved', { exact: false }).waitFor();
    await again.reload();
    await again.getByRole('treeitem', { name: /^Kept/ }).waitFor();
    expect(await again.getByText('which were not saved').count()).toBe(0);
    await again.close();
  });

  test('kept changes are thrown away for what is saved, and forgotten at the sign-out', async () => {
    const { address } = await draft('Thrown away');
    const page = await dashboard.newPage();
    await page.route(SOURCE, (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()));
    await page.goto(address);
    await rename(page, /^Task 1/, 'Kept');
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: 'Show what is saved' }).click();
    await page.getByRole('treeitem', { name: /^Task 1/ }).waitFor();
    await rename(page, /^Task 1/, 'Again');
    const names = 'indexedDB.databases().then((all) => all.map(({ name }) => name).join())';
    expect(await page.evaluate(names)).toBe('kethub-files');
    await page.getByRole('button', { name: /: account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(/sign-out/);
    await expect.poll(() => page.evaluate(names)).toBe('');
    await page.close();
  });

  test('two versions stand side by side, with what differs; mine and theirs can be taken', async () => {
    const { page, kethub } = dashboard;
    const { id, address } = await draft('Two people');
    const theirs = manyElements(3).replace('name="Task 0"', 'name="Theirs"');
    const saveTheirs = () =>
      kethub.client.replaceSource({
        serviceId: id,
        version: '1.0.0',
        body: new Blob([theirs], { type: 'application/xml' }),
      });
    await page.goto(address);
    await page.getByRole('treeitem', { name: /^Task 1/ }).waitFor();
    await saveTheirs();
    await rename(page, /^Task 1/, 'Mine');
    // Nobody presses anything: the autosave is refused.
    await page.getByText('Somebody else has changed this').waitFor();
    const list = page.getByRole('list', { name: 'Differences' });
    await list.getByRole('button', { name: 'Task 2 only in what is saved', exact: true }).waitFor();
    await list.getByRole('button', { name: 'Mine says something else', exact: true }).waitFor();
    // The process itself is the same, though more is drawn in it.
    expect(await list.getByRole('button', { name: /^process / }).count()).toBe(0);
    await page.locator('.side-by-side-canvas .djs-element.changed').nth(1).waitFor({ state: 'attached' });
    await page.locator('.side-by-side-canvas .djs-element.removed').first().waitFor({ state: 'attached' });
    await list.getByRole('button', { name: 'Task 2 only in what is saved', exact: true }).click();
    await picture(page, 'modeller-conflict');
    expect(await violationsInDialog(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take what is saved' }).click();
    await page.getByRole('treeitem', { name: /^Theirs/ }).waitFor();
    await saveTheirs();
    await rename(page, /^Task 1/, 'Mine');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await expect.poll(() => savedIn(dashboard, id), { timeout: 30_000 }).toContain('name="Mine"');
    await expect.poll(() => page.getByText('Somebody else has changed this').count()).toBe(0);
  });

  test('a draft that somebody else deploys meanwhile goes on as the next version', async () => {
    const { page, kethub } = dashboard;
    const { id, address } = await draft('Deployed meanwhile');
    await page.goto(address);
    await page.getByRole('treeitem', { name: /^Task 1/ }).waitFor();
    await kethub.client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await rename(page, /^Task 1/, 'Mine');
    // The autosave learns it; only a person makes the next version.
    await page.getByText('1.0.0 · not saved; this browser keeps it').waitFor({ timeout: 60_000 });
    expect((await kethub.client.getService({ serviceId: id })).versions).toHaveLength(1);
    await page.reload();
    await page.getByText('which were not saved').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^(?!1\.0\.0)\d+\.\d+\.\d+ · saved$/).waitFor();
    await page.getByText('which were not saved').waitFor({ state: 'detached' });
    const [next] = (await kethub.client.getService({ serviceId: id })).versions;
    const file = await kethub.client.downloadSource({ serviceId: id, version: next?.version ?? '' });
    expect(await file.text()).toContain('name="Mine"');
    expect(await savedIn(dashboard, id)).not.toContain('Mine');
  });

  test('what somebody else has deployed meanwhile is shown beside mine, and mine becomes the next version', async () => {
    const { page, kethub } = dashboard;
    const { client } = kethub;
    const deploy = (serviceId: string) =>
      client.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const open = async (name: string): Promise<string> => {
      const { id, address } = await draft(name);
      await page.goto(address);
      await page.locator('.modeller-bar').getByRole('button', { name: 'Deploy', disabled: false }).waitFor();
      return id;
    };
    // The same file is deployed twice: nothing is asked.
    const same = await open('Deployed twice');
    await deploy(same);
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
    const id = await open('Deployed with more');
    const theirs = manyElements(3).replace('name="Task 0"', 'name="Theirs"');
    const body = new Blob([theirs], { type: 'application/xml' });
    await client.replaceSource({ serviceId: id, version: '1.0.0', body });
    await deploy(id);
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.getByText('Somebody else has deployed version 1.0.0 with another file in the meantime.').waitFor();
    const list = page.getByRole('list', { name: 'Differences' });
    await list.getByRole('button', { name: 'Task 2 only in what is saved', exact: true }).waitFor();
    await picture(page, 'modeller-overtaken');
    expect((await client.getService({ serviceId: id })).versions).toHaveLength(1);
    await page.getByRole('button', { name: 'Save mine' }).click();
    await page.getByText(/^(?!1\.0\.0)\d+\.\d+\.\d+ · saved$/).waitFor();
    await page.getByText('Somebody else has deployed').waitFor({ state: 'detached' });
    expect(await savedIn(dashboard, id)).toContain('name="Theirs"');
    const [next] = (await client.getService({ serviceId: id })).versions;
    const file = await client.downloadSource({ serviceId: id, version: next?.version ?? '' });
    expect(await file.text()).toContain('name="Task 0"');
  }, 120_000);

  test('another application is chosen for a deployed workflow: it is that of the next version', async () => {
    const { page, kethub } = dashboard;
    const { client } = kethub;
    const { id: applicationId } = await client.createApplication({ json: { name: 'Next callers' } });
    const { id, address } = await draft('Another application');
    await client.publishServiceVersion({ serviceId: id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await page.goto(address);
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
    await page.getByRole('combobox', { name: 'Application as which tasks call services' }).click();
    await page.getByRole('option', { name: 'Next callers' }).click();
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.getByText(/^(?!1\.0\.0)\d+\.\d+\.\d+ · saved$/).waitFor();
    await page.locator('.modeller-bar').getByRole('link', { name: 'Run' }).waitFor();
    const [next] = (await client.getService({ serviceId: id })).versions;
    expect(next).toMatchObject({ state: 'PUBLISHED', workflow: { applicationId } });
  });

  test('it is downloaded as file, SVG and PNG', async () => {
    const { page } = dashboard;
    const { address } = await draft('Pictures');
    await page.goto(address);
    await page.getByRole('treeitem', { name: /^Task 1/ }).waitFor();
    const get = async (item: string): Promise<Buffer> => {
      await page.getByRole('button', { name: 'File…' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: item }).click();
      return readFileSync(await (await download).path());
    };
    expect((await get('Download as .bpmn')).toString()).toContain('id="task1"');
    const svg = (await get('Download as SVG')).toString();
    expect(svg).toMatch(/^<\?xml[^]*<svg/);
    expect(svg).not.toContain('var(--');
    const png = await get('Download as PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    const [, wide] = /width="(\d+)/.exec(svg) ?? [];
    expect(Math.abs(width - 2 * Number(wide))).toBeLessThan(4);
    expect(height).toBeGreaterThan(100);
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints.filter((one) => !one.includes('crash'))).toEqual([]));
});
