import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressOf, pathsBelow, pathsOutside } from './addresses.ts';
import { barriersInBoth, barriersOf, open } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { makeBothContexts, type BothContexts } from './example-resources.ts';

describe.skipIf(!existsSync(PROGRAM))('every route of the router in a browser', () => {
  let dashboard: Dashboard;
  let made: BothContexts;
  /** Requests to the interface that were refused. */
  const refused: string[] = [];

  beforeAll(async () => {
    dashboard = await openDashboard({ KETHUB_ADMINISTRATORS: 'ada' });
    made = await makeBothContexts(dashboard.kethub);
  }, 300_000);
  afterAll(() => dashboard?.close());

  /** Opens each address in a tab of its own, and returns what is wrong with it. */
  const walk = async (addresses: readonly string[]): Promise<string[]> => {
    const page = await dashboard.newPage();
    page.on('response', (response) => {
      if (response.status() >= 400)
        refused.push(`${response.status()} ${response.request().method()} ${response.url()}`);
    });
    const wrong: string[] = [];
    for (const address of addresses) {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await open(page, dashboard.origin + address);
      if (new URL(page.url()).pathname !== address.split('?')[0]) wrong.push(`${address} became ${page.url()}`);
      wrong.push(...(await problemsOf(page)).map((one) => `${address}: ${one}`));
      wrong.push(...refused.splice(0).map((one) => `${address}: ${one}`));
      wrong.push(...(await barriersInBoth(page, address)));
    }
    await page.close();
    return wrong;
  };

  const problemsOf = async (page: Page): Promise<readonly string[]> => [
    ...(await page.getByRole('heading', { name: 'No such page' }).allTextContents()),
    // An incident of an instance is an alert as well, and no problem of the page.
    ...(await page
      .getByRole('alert')
      .filter({ hasNotText: /an incident/ })
      .allTextContents()),
  ];

  describe('in light and in dark', () => {
    test('every screen of a person is whole, without a barrier, and fits a telephone', async () => {
      const addresses = pathsBelow('/me').map((path) => `/me${addressOf(path, made.own)}`);
      expect(addresses.length).toBeGreaterThan(40);
      expect(await walk(addresses)).toEqual([]);
    }, 600_000);

    test('every screen of an organization is whole, without a barrier, and fits a telephone', async () => {
      const paths = pathsBelow('/org/$organizationId');
      const addresses = paths.map((path) => `/org/${made.organizationId}${addressOf(path, made.ofOrganization)}`);
      expect(addresses.length).toBeGreaterThan(36);
      expect(await walk(addresses)).toEqual([]);
    }, 600_000);
  });

  test('outside of all contexts there are the first page, the way back of a sign-in, and pages of what is public', async () => {
    const { implementation: implementationId } = made.own;
    await dashboard.kethub.client.updateImplementation({ implementationId, json: { visibility: 'PUBLIC' } });
    const ofVisitors = pathsOutside().filter((path) => path.startsWith('/implementations'));
    expect(pathsOutside().filter((path) => !ofVisitors.includes(path))).toEqual(['/', '/callback']);
    expect(ofVisitors.length).toBeGreaterThan(5);
    const page = await dashboard.pageOfNobody();
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      const fixed = ['/', '/callback', '/callback?error=access_denied&state=x', '/me/nothing-here'];
      for (const address of [...fixed, ...ofVisitors.map((path) => addressOf(path, made.own))]) {
        await open(page, dashboard.origin + address);
        expect(await barriersOf(page, `nobody-${scheme}${address}`)).toEqual([]);
      }
    }
    await page.context().close();
  });

  test('no script but its own has run, no error is in the console, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
