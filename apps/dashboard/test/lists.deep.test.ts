import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, type TestKethub } from '@kethub/server/testing/kethub';
import { freePlan, listing } from '@kethub/server/testing/marketplace';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const ROWS = 210;
/** Versions of one service: each is published before the next. */
const VERSIONS = 60;
const AT_ONCE = 8;
const FILES = { 'src/program.py': 'def run(data: int = 0) -> dict:\n    return {"data": data}\n' };
const target = { url: 'https://quantum.example.org/solver', timeoutSeconds: 30 };

/** Lets people join an organization, written as rows: the sign-in of hundreds would take minutes. */
function joinMany(
  { write }: TestKethub['platform']['database'],
  organization: string,
  count: number,
): Promise<unknown> {
  const people = Array.from({ length: count }, (_, at) => ({
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    username: `member${at}`,
    email: `member${at}@example.org`,
    firstname: 'Member',
    lastname: String(at),
    created_at: at,
    updated_at: at,
  }));
  return write(async (transaction) => {
    await transaction.insertInto('users').values(people).execute();
    const rows = people.map(({ id: user_id }, at) => ({
      organization_id: organization,
      user_id,
      role: 'VIEWER' as const,
      created_at: at,
    }));
    await transaction.insertInto('memberships').values(rows).execute();
  });
}

describe.skipIf(!existsSync(PROGRAM))('lists of hundreds of rows, in a browser', () => {
  let dashboard: Dashboard;
  let kethub: TestKethub;
  let poolId: string;
  let serviceId: string;
  let versioned: string;
  let applicationId: string;
  let organizationId: string;

  /** Makes this many things, some at the same time. */
  const many = async (count: number, make: (at: number) => Promise<unknown>): Promise<void> => {
    let at = 0;
    const work = async (): Promise<void> => {
      while (at < count) await make(at++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };

  beforeAll(async () => {
    dashboard = await openDashboard();
    ({ kethub } = dashboard);
    const { client } = kethub;
    serviceId = (await build(client, 'Solver', FILES)).service.id;
    await client.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await many(ROWS - 2, (at) => client.createService({ json: { type: 'ON_PREMISE', name: `Remote ${at}`, target } }));
    versioned = (await client.createService({ json: { type: 'ON_PREMISE', name: 'Versioned', target } })).id;
    const json = { visibility: 'INTERNAL' as const };
    for (let at = 1; at <= VERSIONS; at++) {
      const [newest] = (await client.getService({ serviceId: versioned })).versions;
      await client.publishServiceVersion({ serviceId: versioned, version: newest?.version ?? '', json });
      if (at < VERSIONS) await client.addServiceVersion({ serviceId: versioned, json: { target } });
    }
    await many(ROWS, (at) => client.createApplication({ json: { name: `Application ${at}` } }));
    await many(ROWS, (at) => client.createDataPool({ json: { name: `Pool ${at}` } }));
    poolId = (await client.listDataPools())[0]?.id ?? '';
    await many(ROWS, (at) =>
      client.uploadDataPoolFile({ dataPoolId: poolId, name: `file-${at}.txt`, body: new Blob([`${at}`]) }),
    );
    const organizations: string[] = [];
    await many(ROWS, async (at) => {
      organizations.push((await client.createOrganization({ json: { name: `Lab ${at}` } })).id);
    });
    await many(ROWS, (at) => {
      const recipient = { type: 'ORGANIZATION' as const, id: organizations[at] ?? '' };
      return client.createShare({ serviceId, json: { recipient } });
    });
    applicationId = (await client.createApplication({ json: { name: 'Last' } })).id;
    const remote = (await client.listServices()).filter(({ name }) => name.startsWith('Remote'));
    await many(120, async (at) => {
      const id = remote[at]?.id ?? '';
      await client.publishServiceVersion({ serviceId: id, version: '1.0.0', json });
      await client.subscribe({ applicationId, json: { serviceId: id } });
    });
    const remaining = (await client.listServices({ limit: 500 })).filter(({ name }) => name.startsWith('Remote'));
    await many(remaining.length, async (at) => {
      const one = remaining[at];
      if (!one) return;
      if (one.versions[0]?.state === 'DRAFT')
        await client.publishServiceVersion({ serviceId: one.id, version: '1.0.0', json });
      await client.publishListing({ serviceId: one.id, json: listing({ title: one.name, pricingPlans: [freePlan] }) });
    });
    organizationId = organizations[0] ?? '';
    await joinMany(kethub.platform.database, organizationId, ROWS);
    await many(ROWS, (at) => client.createAccessToken({ json: { name: `Token ${at}` } }));
    await many(ROWS, (at) => client.startJob({ serviceId, json: { data: at } }));
  }, 900_000);
  afterAll(() => dashboard?.close());

  /** Presses the button for more until there is none, and counts the rows. */
  const rowsOf = async (path: string, section = 'main'): Promise<number> => {
    const { page, origin } = dashboard;
    await page.goto(origin + path);
    const rows = page.locator(`${section} .list tbody tr`);
    await rows.first().waitFor();
    const more = page.locator(section).getByRole('button', { name: 'Show more' });
    // A list that draws only the rows near the view says how many there are, its head included.
    const count = async (): Promise<number> => {
      const said = await page.locator(`${section} .list`).first().getAttribute('aria-rowcount');
      return said === null ? rows.count() : Number(said) - 1;
    };
    for (let before = await count(); (await more.count()) > 0; before = await count()) {
      await more.click();
      // After a full page the button is there once more, and goes.
      const isAnswered = async () => (await count()) > before || (await more.count()) === 0;
      await expect.poll(isAnswered, { timeout: 60_000 }).toBe(true);
    }
    return count();
  };

  test.each([
    ['services', (): string => '/me/services', ROWS],
    ['applications', (): string => '/me/applications', ROWS + 1],
    ['data pools', (): string => '/me/data-pools', ROWS],
    ['files of a data pool', (): string => `/me/data-pools/${poolId}`, ROWS],
    ['subscriptions', (): string => `/me/applications/${applicationId}`, 120],
    ['shares', (): string => `/me/services/${serviceId}/sharing`, ROWS],
    ['access tokens', (): string => '/me/tokens', ROWS],
    ['executions', (): string => '/me/executions', ROWS],
    ['organizations', (): string => '/me/organizations', ROWS],
    ['members of an organization', (): string => `/org/${organizationId}/organization`, ROWS + 1],
  ] as const)('%s: every row is reached', async (_, path, count) => {
    expect(await rowsOf(path())).toBeGreaterThanOrEqual(count);
  });

  test('versions: the oldest of many is reached, and its address is its own', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${versioned}/versions`);
    const versions = page.getByRole('region', { name: /^Version / });
    await versions.first().waitFor();
    const more = page.getByRole('button', { name: 'Show more' });
    await more.click();
    await expect.poll(() => versions.count(), { timeout: 60_000 }).toBe(VERSIONS);
    expect(await page.getByRole('region', { name: 'Version 1.0.0', exact: true }).count()).toBe(1);
  });

  test('marketplace: every offer is reached, and those without a button for more are all there', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/marketplace`);
    const tiles = page.locator('main li.tile');
    const more = page.getByRole('button', { name: 'Show more' });
    await tiles.first().waitFor();
    for (let before = await tiles.count(); (await more.count()) > 0; before = await tiles.count()) {
      await more.click();
      await expect.poll(async () => (await tiles.count()) > before || (await more.count()) === 0).toBe(true);
    }
    expect(await tiles.count()).toBe(ROWS - 2);
    expect(new Set(await tiles.getByRole('heading').allTextContents()).size).toBe(ROWS - 2);
  });

  test('the button for more does its work while an event renews the list, also when it is pressed twice', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/executions`);
    const more = page.getByRole('button', { name: 'Show more' });
    await more.waitFor();
    const rows = page.locator('main .list tbody tr');
    const before = await rows.count();
    // The next page is held back until the event has made the list ask anew from its beginning.
    const waiting: string[] = [];
    const renewed: string[] = [];
    await page.route(/\/api\/service-executions\?/, async (route) => {
      const address = route.request().url();
      if (!address.includes('cursor=')) renewed.push(address);
      else if (waiting.push(address) === 1)
        await expect.poll(() => renewed.length, { timeout: 60_000 }).toBeGreaterThan(0);
      await route.continue().catch(() => undefined);
    });
    await more.dblclick();
    await expect.poll(() => waiting.length, { timeout: 30_000 }).toBeGreaterThan(0);
    await kethub.client.startJob({ serviceId, json: { data: 7 } });
    await expect.poll(() => renewed.length, { timeout: 30_000 }).toBeGreaterThan(0);
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(2 * before);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(await more.isEnabled()).toBe(true);
  });

  test('the audit log goes on beyond its first pages', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/audit`);
    const rows = page.locator('main .list tbody tr');
    await rows.first().waitFor();
    while ((await rows.count()) < ROWS) {
      const before = await rows.count();
      await page.getByRole('button', { name: 'Show more' }).click();
      await expect.poll(() => rows.count(), { timeout: 60_000 }).toBeGreaterThan(before);
    }
  });

  test('hundreds of organizations leave the menu of contexts within the window', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me`);
    await page.getByRole('button', { name: /^Acting for/ }).click();
    const last = page.getByRole('menuitem', { name: 'Organizations', exact: true });
    await last.scrollIntoViewIfNeeded();
    await picture(page, 'many-organizations');
    await last.click();
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
