import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const FILES = { 'src/program.py': 'def run(data: dict, shots: int = 100):\n    return {"shots": shots}\n' };
/** Markdown that would run a script if it were taken for HTML. */
const HOSTILE =
  '# Use\n<script>window.hacked=1</script>\n[press](javascript:window.hacked=1) ![](https://example.org/x.png)';

describe.skipIf(!existsSync(PROGRAM))('the marketplace in a browser', () => {
  let dashboard: Dashboard;
  let serviceId: string;
  beforeAll(async () => {
    dashboard = await openDashboard();
    serviceId = (await deploy(dashboard.kethub.client, 'Solver', FILES)).service.id;
  }, 240_000);
  afterAll(() => dashboard?.close());
  const listing = () => dashboard.kethub.client.getListing({ serviceId });

  test('an owner offers a version on a paid plan, and complaints stand at their fields', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${serviceId}`);
    await page.getByRole('navigation', { name: 'Service' }).getByRole('link', { name: 'Marketplace' }).click();
    await page.getByRole('button', { name: 'Offer it' }).click();
    await page.getByLabel('Summary').fill('Solves <b>everything</b>');
    await page.getByLabel('Documentation', { exact: true }).fill(HOSTILE);
    await page.getByRole('combobox', { name: 'Categories' }).click();
    await page.getByRole('option', { name: 'Optimization' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a plan' }).click();
    const second = page.getByRole('group', { name: 'Plan 2' });
    await second.getByLabel('Name of the plan').fill('Per run');
    await second.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Paid by use' }).click();
    const price = second.getByLabel('Price of a unit');
    await price.fill('cheap');
    await page.getByRole('button', { name: 'Put it into the marketplace' }).click();
    await expect.poll(() => price.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'listing-complaint');
    await price.fill('0.10');
    await page.getByRole('button', { name: 'Put it into the marketplace' }).click();
    await page.getByRole('link', { name: 'As others see it' }).waitFor();
    expect(await listing()).toMatchObject({
      categories: ['OPTIMIZATION'],
      pricingPlans: [{ id: 'free' }, { id: 'per-run', products: [{ unitPrice: '0.1', currency: 'EUR' }] }],
    });
  });

  test('two people who change the offer see both versions', async () => {
    const { page, kethub } = dashboard;
    await page.getByRole('button', { name: 'Change the offer' }).click();
    await page.getByLabel('Title').fill('My solver');
    const { version, categories, pricingPlans } = await listing();
    await kethub.client.publishListing({
      serviceId,
      json: { version, categories, pricingPlans, title: 'Your solver', documentation: HOSTILE },
    });
    await page.getByRole('button', { name: 'Save the offer' }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else' });
    await conflict.getByText('Your solver').waitFor();
    await conflict.getByRole('button', { name: 'Save mine' }).click();
    await page.getByRole('link', { name: 'As others see it' }).waitFor();
    expect(await listing()).toMatchObject({ title: 'My solver' });
  });

  test('somebody else finds it, reads it, and subscribes with an application and a plan', async () => {
    const { kethub, origin } = dashboard;
    const grace = await kethub.signIn('grace');
    const { id } = await grace.client.createApplication({ json: { name: 'Notebook' } });
    const page = await dashboard.pageOf('grace');
    await page.getByRole('link', { name: 'Marketplace' }).click();
    await page.getByLabel('Search').fill('nothing like it');
    await page.getByText('No offer fits.').waitFor();
    await page.getByLabel('Search').fill('solver');
    await page.getByRole('list', { name: 'Offers' }).getByText('<b>everything</b>').waitFor();
    await page.goto(`${origin}/me/marketplace?category=OPTIMIZATION&q=solver`);
    await picture(page, 'marketplace');
    await page.getByRole('link', { name: 'My solver' }).click();
    await page.getByText('<script>window.hacked=1</script>').waitFor();
    expect(await page.evaluate('[window.hacked, document.images.length]')).toEqual([undefined, 0]);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByRole('radio', { name: 'Per run' }).check();
    expect(await violationsInDialog(page)).toEqual([]);
    await picture(page, 'subscribe-to-offer');
    await page.getByRole('dialog').getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('from the marketplace, plan Per run').waitFor();
    expect(await grace.client.listSubscriptions({ applicationId: id })).toMatchObject([
      { serviceId, version: '1.0.0' },
    ]);
    await page.context().close();
  });

  test('the provider limits one subscription, and all', async () => {
    const { page, kethub, origin } = dashboard;
    await page.goto(`${origin}/me/services/${serviceId}/limits`);
    await page.getByLabel('Executions a day').fill('many');
    await page.getByText('A whole number from 1, or nothing.').waitFor();
    await page.getByLabel('Executions a day').fill('100');
    await page.getByLabel('Executions at the same time').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await kethub.client.getServiceLimits({ serviceId })).toMatchObject({
      executionsPerDay: 100,
      executionsPerMonth: null,
      executionsAtOnce: 2,
    });
    await page.getByRole('button', { name: 'Limits of grace Test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Requests a minute').fill('30');
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('30 requests a minute').waitFor();
  });

  test('no screen has barriers or is wider than a telephone, light and dark', async () => {
    const screens = [
      '/me/marketplace',
      `/me/marketplace/${serviceId}`,
      `/me/services/${serviceId}/listing`,
      `/me/services/${serviceId}/limits`,
    ];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('it is taken out of the marketplace', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/services/${serviceId}/listing`);
    await page.getByRole('button', { name: 'Take it out of the marketplace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take it out' }).click();
    await page.getByRole('button', { name: 'Offer it' }).waitFor();
    await page.goto(`${origin}/me/marketplace/${serviceId}`);
    await page.getByRole('alert').waitFor();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
