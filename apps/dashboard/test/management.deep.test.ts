import { existsSync } from 'node:fs';
import type { Service } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callerOf } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { commercialPlan } from '@kethub/server/testing/marketplace';
import { picture, violationsInDialog } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const FILES = { 'src/program.py': 'def run(shots: int = 100):\n    return {"shots": shots}\n' };
const KEY = 'only-the-code-of-the-service-knows';

describe.skipIf(!existsSync(PROGRAM))('usage, audit, provider tokens and administration in a browser', () => {
  let dashboard: Dashboard;
  let service: Service;
  beforeAll(async () => {
    dashboard = await openDashboard({ KETHUB_ADMINISTRATORS: 'ada' });
    service = (await deploy(dashboard.kethub.client, 'Solver', FILES)).service;
  }, 240_000);
  afterAll(() => dashboard?.close());

  test('a call on a paid plan is a cost of one person and revenue of the other', async () => {
    const { kethub, page, origin } = dashboard;
    const serviceId = service.id;
    const json = { version: '1.0.0', categories: [], pricingPlans: [commercialPlan('0.25')] };
    await kethub.client.publishListing({ serviceId, json });
    const { client } = await kethub.signIn('grace');
    const application = await client.createApplication({ json: { name: 'Notebook' } });
    const subscription = await client.subscribe({
      applicationId: application.id,
      json: { serviceId, version: '1.0.0', pricingPlanId: 'paid' },
    });
    const [key] = application.accessKeys;
    const { secretAccessKey } = await client.revealSecretAccessKey({
      applicationId: application.id,
      keyId: key?.id ?? '',
    });
    const endpoint = subscription.endpoint.replace(/\/$/, '');
    const accessKeyId = key?.accessKeyId ?? '';
    const caller = await callerOf({ service, application, subscription, endpoint, accessKeyId, secretAccessKey });
    await caller.finish({});
    await page.goto(`${origin}/me/usage`);
    await page.getByText('Nothing has been charged in this month.').waitFor();
    await page.getByRole('link', { name: 'Revenue' }).click();
    await page.getByRole('cell', { name: '0.25 EUR', exact: true }).first().waitFor();
    await picture(page, 'usage');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^revenue-\d{4}-\d{2}\.csv$/);
  });

  test('a provider token is set, masked, and deleted', async () => {
    const { page, kethub, origin } = dashboard;
    await page.goto(`${origin}/me/provider-tokens`);
    await page.getByRole('button', { name: 'Set the key of IBM Quantum Platform' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('API key').fill('with blanks');
    await dialog.getByLabel('CRN of the instance').fill('crn:v1:x');
    expect(await violationsInDialog(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/printable ASCII/).waitFor();
    await dialog.getByLabel('API key').fill(KEY);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('QISKIT_IBM_TOKEN').waitFor();
    expect(await page.content()).not.toContain(KEY);
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(KEY);
    await page.getByRole('button', { name: 'Delete the key of IBM Quantum Platform' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('QISKIT_IBM_TOKEN').waitFor({ state: 'detached' });
    expect(await kethub.client.listProviderAccessTokens()).toEqual([]);
  });

  test('the audit log names people, and is filtered by a click', async () => {
    const { page, origin } = dashboard;
    await page.goto(`${origin}/me/audit`);
    await page.getByRole('button', { name: 'listing:publish' }).click();
    await expect.poll(() => page.locator('.list tbody tr').count()).toBe(1);
    await page.getByRole('cell', { name: 'ada Test' }).waitFor();
    await picture(page, 'audit');
    await page.getByLabel('Action').fill('no action');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText(/must be an action such as/).waitFor();
  });

  test('an administrator approves, switches off and on; nobody else can', async () => {
    const { page, kethub, origin } = dashboard;
    const person = { username: 'linus', email: 'linus@example.org', firstname: 'Linus', lastname: '<b>T</b>' };
    await kethub.kethub.identity.createUser({ ...person, password: 'a long pass phrase', status: 'PENDING' });
    await page.goto(`${origin}/me`);
    await page.getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('button', { name: 'Approve: Linus <b>T</b>' }).click();
    await page.getByRole('button', { name: 'Switch off: Linus <b>T</b>' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on: Linus <b>T</b>' }).click();
    await page.getByRole('button', { name: 'Switch off: Linus <b>T</b>' }).waitFor();
    const [found] = await kethub.client.listRegistrations({ email: person.email });
    expect(found).toMatchObject({ status: 'APPROVED', enabled: true });
    const installation = page.getByRole('region', { name: 'Installation' });
    await installation.getByText('api, gateway, worker, git').waitFor();
    await installation.getByText(/^0 running in sandbox/).waitFor();
    await installation
      .getByText(/^SQLite, .* schema \d{4}-/)
      .or(installation.getByText(/^PostgreSQL, /))
      .waitFor();
    expect(await installation.getByText('Something went wrong').count()).toBe(0);
    await picture(page, 'administration');
    await page.getByRole('button', { name: 'Renew the keys' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
    await page.getByText('Tokens of applications').waitFor();
  });

  test('an installation in trouble tells an administrator so, in light and in dark', async () => {
    const { page, kethub, origin } = dashboard;
    const { database, newId, now } = kethub.platform;
    const GB = 2 ** 30;
    const problem = 'The cluster does not answer; executions go on when it does: connect ECONNREFUSED 10.0.0.1:6443';
    const [gone, full] = [newId(), newId()];
    const beat = { beats: 1, seen_at: now(), containers: 0, machine: 'm', cpus: 8, memory_bytes: 32 * GB, gpus: '[]' };
    const reported = { started_at: now() - 90 * 60_000, seen_at: now(), schema: '0001-baseline' };
    await database.write(async (transaction) => {
      await transaction
        .insertInto('workers')
        .values([
          { id: gone, host: 'node-7.example.org', lost_at: now() - 20 * 60_000, ...beat },
          { id: full, host: 'node-8.example.org', lost_at: null, ...beat },
        ])
        .execute();
      const worker = { roles: 'worker', version: '0.0.9', worker_id: full, driver: 'KUBERNETES' as const };
      const gateway = { roles: 'gateway', version: '0.0.9', worker_id: null, driver: null };
      await transaction
        .insertInto('processes')
        .values([
          {
            id: newId(),
            host: 'node-8.example.org',
            ...reported,
            ...worker,
            disk_bytes: 500 * GB,
            disk_free_bytes: GB,
            problem,
          },
          {
            id: newId(),
            host: 'edge-1',
            ...reported,
            ...gateway,
            disk_bytes: null,
            disk_free_bytes: null,
            problem: null,
          },
        ])
        .execute();
    });
    await page.goto(`${origin}/me/administration`);
    const installation = page.getByRole('region', { name: 'Installation' });
    await installation.getByText(/Processes of 2 versions run side by side/).waitFor();
    const worker = installation.getByRole('row', { name: /node-8/ });
    expect(await worker.innerText()).toMatch(
      /0\.0\.9.*1\.0 GB of 500\.0 GB.*Nearly full.*0 running in Kubernetes.*Broken.*10\.0\.0\.1:6443/s,
    );
    await installation.getByText('node-7.example.org').waitFor();
    expect(await installation.getByRole('row', { name: /edge-1/ }).innerText()).toContain('not known');
    await picture(page, 'administration-in-trouble');
    expect(await dashboard.barriersOn(['/me/administration'])).toEqual([]);
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
