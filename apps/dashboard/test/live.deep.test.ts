import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, deploy } from '@kethub/server/testing/kethub';
import { bpmn, deployWorkflow, start } from '@kethub/server/testing/workflows';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const TABS = 8;
/** Milliseconds for which nothing is done, to see that nothing is asked for. */
const QUIET_MS = 6_000;
/** Prints a line each tenth of a second. */
const FILES = {
  'src/program.py': `
import time

def run(lines: int = 10):
    for line in range(lines):
        print("line", line)
        time.sleep(0.1)
    return {"lines": lines}
`,
};
const { chain, end, file } = bpmn;
/** Waits for a message. */
const WAITS = file([start(), bpmn.catchEvent('wait', bpmn.message('go')), end('end'), chain('start', 'wait', 'end')], {
  messages: { go: '="all"' },
});

describe.skipIf(!existsSync(PROGRAM))('a dashboard that stays open', () => {
  let dashboard: Dashboard;
  let page: Page;
  let origin: string;
  let serviceId: string;
  let workflowId: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    ({ page, origin } = dashboard);
    const { client } = dashboard.kethub;
    serviceId = (await deploy(client, 'Ticks', FILES)).service.id;
    workflowId = (await deployWorkflow(client, 'Waits', WAITS)).service.id;
  }, 240_000);
  afterAll(() => dashboard?.close());

  /** Takes a page out of view, as another tab before it does, or brings it back. */
  const show = (tab: Page, isInView: boolean): Promise<void> =>
    tab.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${!isInView}, configurable: true });
      Object.defineProperty(document, 'visibilityState', { value: '${isInView ? 'visible' : 'hidden'}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`);
  /** Requests of these paths that wait for an answer or are being answered. */
  const inFlight = (path: RegExp): number => dashboard.traffic.inFlight.filter((one) => path.test(one)).length;

  test('eight tabs sign in once, share one stream, and keep four connections open', async () => {
    const { client } = dashboard.kethub;
    const { id } = await client.startJob({ serviceId, json: { lines: 3_000 } });
    const address = `${origin}/me/executions/${id}`;
    // Without a page the worker of the browser ends, and with it the token.
    const context = page.context();
    await page.close();
    dashboard.traffic.requests.length = 0;
    const tabs = await Promise.all(Array.from({ length: TABS }, () => dashboard.newPageIn(context)));
    await Promise.all(tabs.map((tab) => tab.goto(address)));
    await Promise.all(tabs.map((tab) => tab.getByText('Running', { exact: true }).waitFor()));
    expect(dashboard.traffic.requests.filter((one) => one === 'POST /auth/token')).toHaveLength(1);
    const logs = /GET \/api\/.*\/log/;
    await expect.poll(() => inFlight(logs)).toBe(2);
    await expect.poll(() => dashboard.traffic.inFlight.length).toBeLessThanOrEqual(4);
    expect(inFlight(/GET \/api\/events/)).toBe(1);
    const [first, ...others] = tabs;
    if (!first) throw new Error('There are tabs');
    // The tab in view gets a log, whichever had them before.
    for (const tab of others) await show(tab, false);
    await first.getByRole('log').getByText('line ').first().waitFor();
    await expect.poll(() => inFlight(logs)).toBe(1);
    await first.getByRole('link', { name: 'Services', exact: true }).click();
    await first.getByRole('link', { name: 'Ticks' }).waitFor();
    await expect.poll(() => inFlight(logs)).toBe(0);
    const [last = first] = others.slice(-1);
    await show(last, true);
    await last.getByRole('log').getByText('line ').first().waitFor();
    await last.getByRole('button', { name: 'Cancel' }).click();
    await last.getByText('Cancelled', { exact: true }).waitFor();
    for (const tab of others) await show(tab, true);
    await Promise.all(others.map((tab) => tab.getByText('Cancelled', { exact: true }).waitFor()));
    await Promise.all(others.map((tab) => tab.close()));
    page = first;
  }, 180_000);

  test('a list that is looked at asks for nothing until something changes', async () => {
    const asked: string[] = [];
    for (const list of ['services', 'executions', 'workflows', 'applications']) {
      await page.goto(`${origin}/me/${list}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      while ((await page.getByText('Loading…').count()) > 0) await pause(50);
      await expect.poll(() => inFlight(/GET \/api\/(?!events)/)).toBe(0);
      dashboard.traffic.requests.length = 0;
      await pause(QUIET_MS);
      asked.push(...dashboard.traffic.requests.map((one) => `${list}: ${one}`));
    }
    expect(asked).toEqual([]);
  });

  test('a restart of the platform is survived without a reload on each kind of page', async () => {
    const { client } = dashboard.kethub;
    const running = await client.startJob({ serviceId, json: { lines: 600 } });
    const { id: instanceId } = await client.startJob({ serviceId: workflowId, json: {} });
    const pages: Record<string, Page> = {};
    const addresses = {
      services: '/me/services',
      executions: '/me/executions',
      run: `/me/services/${serviceId}/run?execution=${running.id}`,
      instance: `/me/services/${workflowId}/instances/${instanceId}`,
    };
    for (const [name, address] of Object.entries(addresses)) {
      const tab = await dashboard.newPageIn(page.context());
      await tab.goto(origin + address);
      await tab.getByRole('heading', { level: 1 }).waitFor();
      await tab.evaluate('window.isTheSame = true');
      pages[name] = tab;
    }
    const { services, executions, run, instance } = pages;
    if (!services || !executions || !run || !instance) throw new Error('A page is missing');
    await run.getByRole('log').getByText('line ').first().waitFor();
    await instance.getByText('Running', { exact: true }).first().waitFor();
    await executions.getByRole('row').nth(1).waitFor();
    const before = await executions.getByRole('row').count();

    await dashboard.kethub.restart();

    await build(client, 'After the restart', FILES);
    await services.getByRole('link', { name: 'After the restart' }).waitFor();
    const again = await client.startJob({ serviceId, json: { lines: 1 } });
    await expect.poll(() => executions.getByRole('row').count(), { timeout: 60_000 }).toBe(before + 1);
    await client.cancelOwnedExecution({ executionId: again.id }).catch(() => undefined);
    await run.getByText('Succeeded', { exact: true }).waitFor({ timeout: 120_000 });
    await run.getByRole('tab', { name: 'Log' }).click();
    // Every line, and none twice.
    await run.getByText('600 lines, complete.').waitFor();
    await client.publishWorkflowMessage({
      serviceId: workflowId,
      json: { name: 'go', correlationKey: 'all', variables: {} },
    });
    await instance.getByText('Completed', { exact: true }).first().waitFor();
    for (const tab of Object.values(pages)) {
      expect(await tab.evaluate('window.isTheSame')).toBe(true);
      await tab.close();
    }
  }, 240_000);

  test('after a restart every other kind of page shows what is new, and leads on, without a reload', async () => {
    const { client } = dashboard.kethub;
    const application = await client.createApplication({ json: { name: 'Before' } });
    const pool = await client.createDataPool({ json: { name: 'Before' } });
    const inService = `/me/services/${serviceId}`;
    const paths = [
      '/me',
      inService,
      `${inService}/versions`,
      `${inService}/versions/1.0.0`,
      `${inService}/versions/1.0.0/specification`,
      `${inService}/sharing`,
      `${inService}/limits`,
      `${inService}/listing`,
      `/me/services/${workflowId}/model`,
      '/me/workflows',
      '/me/incidents',
      '/me/implementations',
      '/me/marketplace',
      '/me/applications',
      `/me/applications/${application.id}`,
      '/me/data-pools',
      `/me/data-pools/${pool.id}`,
      '/me/usage',
      '/me/audit',
      '/me/provider-tokens',
      '/me/profile',
      '/me/tokens',
      '/me/organizations',
      '/me/administration',
    ];
    const tabs = await Promise.all(paths.map(() => dashboard.newPageIn(page.context())));
    for (const [at, tab] of tabs.entries()) {
      await tab.goto(origin + (paths[at] ?? ''));
      await tab.getByRole('heading', { level: 1 }).or(tab.locator('[data-element-id=start]')).first().waitFor();
      await expect.poll(() => tab.getByText('Loading…').count(), { timeout: 30_000 }).toBe(0);
      await tab.evaluate('window.isTheSame = true');
    }
    expect(dashboard.traffic.inFlight.length).toBeLessThanOrEqual(4);

    await dashboard.kethub.restart();

    await client.renameApplication({ applicationId: application.id, json: { name: 'After' } });
    await client.updateDataPool({ dataPoolId: pool.id, json: { name: 'After' } });
    const wrong: string[] = [];
    for (const [at, tab] of tabs.entries()) {
      await tab.bringToFront();
      await tab.getByRole('link', { name: 'Applications', exact: true }).first().click();
      await tab.getByRole('link', { name: 'After', exact: true }).click();
      await tab.getByRole('heading', { name: 'After', level: 1 }).waitFor();
      await tab.getByRole('link', { name: 'Data pools', exact: true }).click();
      await tab.getByRole('link', { name: 'After', exact: true }).waitFor();
      if ((await tab.evaluate('window.isTheSame')) !== true) wrong.push(`${paths[at]}: was loaded again`);
      if ((await tab.getByRole('alert').count()) > 0) wrong.push(`${paths[at]}: a problem`);
      await tab.close();
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
