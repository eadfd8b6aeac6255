import { existsSync } from 'node:fs';
import { workflowForm } from '@kethub/client';
import type { MemberRole } from '@kethub/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploy } from '@kethub/server/testing/kethub';
import { listing } from '@kethub/server/testing/marketplace';
import { asFile, bpmn, start } from '@kethub/server/testing/workflows';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const FILES = { 'src/program.py': 'def run(data=0):\n    return {"data": data}\n' };
const RANK: Readonly<Record<MemberRole, number>> = { VIEWER: 0, MAINTAINER: 1, OWNER: 2 };

/** Buttons of a screen that change something, each with the least role that sees it. */
type Buttons = Readonly<Record<string, MemberRole>>;

describe.skipIf(!existsSync(PROGRAM))('every screen, by role, in a browser', () => {
  let dashboard: Dashboard;
  let at: string;
  let screens: readonly (readonly [path: string, buttons: Buttons])[];

  beforeAll(async () => {
    dashboard = await openDashboard();
    const { client } = dashboard.kethub;
    const { id } = await client.createOrganization({ json: { name: 'Lab' } });
    at = `${dashboard.origin}/org/${id}`;
    const to = { type: 'ORGANIZATION' as const, id };
    for (const [name, role] of [['grace', 'VIEWER'] as const, ['linus', 'MAINTAINER'] as const]) {
      const other = await dashboard.kethub.signIn(name);
      const json = { email: `${name}@example.org`, role };
      const invitation = await client.invite({ organizationId: id, json });
      await other.client.acceptInvitation({ invitationId: invitation.id });
    }
    await dashboard.kethub.signIn('stranger');
    const { service, application } = await deploy(client, 'Solver', FILES);
    const source = asFile(bpmn.file([start(), bpmn.end('end'), bpmn.chain('start', 'end')]));
    const workflow = await client.createService({ body: workflowForm({ name: 'Flow', source }) });
    await client.publishServiceVersion({ serviceId: workflow.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    const pool = await client.createDataPool({ json: { name: 'Pool' } });
    for (const serviceId of [service.id, workflow.id]) await client.transferService({ serviceId, json: to });
    await client.transferApplication({ applicationId: application.id, json: to });
    await client.transferDataPool({ dataPoolId: pool.id, json: to });
    // A service that is given away leaves the marketplace.
    const headers = { 'x-organizationid': id };
    await client.publishListing({ serviceId: service.id, json: listing(), headers });
    const inService = `/services/${service.id}`;
    const inWorkflow = `/services/${workflow.id}`;
    screens = [
      ['', { 'New service': 'MAINTAINER' }],
      ['/services', { 'New service': 'MAINTAINER' }],
      [
        inService,
        {
          'Run it': 'MAINTAINER',
          'Edit name and description': 'MAINTAINER',
          'Give the service away': 'OWNER',
          'Delete the service': 'OWNER',
        },
      ],
      [`${inService}/versions`, { 'Upload new source': 'MAINTAINER', Retire: 'MAINTAINER' }],
      [`${inService}/sharing`, { 'Share the service': 'MAINTAINER' }],
      [`${inService}/limits`, { Save: 'MAINTAINER' }],
      [`${inService}/listing`, { 'Change the offer': 'OWNER', 'Take it out of the marketplace': 'OWNER' }],
      ['/workflows', { 'New workflow': 'MAINTAINER' }],
      [`${inWorkflow}/instances`, { 'Send a message': 'MAINTAINER' }],
      ['/executions', {}],
      ['/applications', { 'New application': 'MAINTAINER' }],
      [
        `/applications/${application.id}`,
        {
          Rename: 'MAINTAINER',
          'Subscribe to a service': 'MAINTAINER',
          Rotate: 'MAINTAINER',
          Reveal: 'MAINTAINER',
          'Give the application away': 'OWNER',
          'Delete the application': 'OWNER',
        },
      ],
      ['/marketplace', {}],
      [`/marketplace/${service.id}`, { Subscribe: 'MAINTAINER' }],
      ['/shared', {}],
      ['/data-pools', { 'New data pool': 'MAINTAINER' }],
      ['/usage', {}],
      [
        '/organization',
        {
          Rename: 'OWNER',
          'Invite somebody': 'OWNER',
          'Delete the organization': 'OWNER',
          'Leave the organization': 'VIEWER',
        },
      ],
    ];
  }, 300_000);
  afterAll(() => dashboard?.close());

  /** Buttons, and links that look like one, by their names. */
  const buttonsOn = async (page: Page): Promise<readonly string[]> =>
    (await page.locator('main button, main a.mantine-Button-root').allTextContents()).map((text) => text.trim());

  test.each([
    ['grace', 'VIEWER'],
    ['linus', 'MAINTAINER'],
    ['ada', 'OWNER'],
  ] as const)(
    '%s sees what a %s may do, and nothing else',
    async (name, role) => {
      const page = name === 'ada' ? dashboard.page : await dashboard.pageOf(name);
      const wrong: string[] = [];
      for (const [path, buttons] of screens) {
        await page.goto(at + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const names = Object.entries(buttons);
        const expected = names.filter(([, least]) => RANK[role] >= RANK[least]).map(([button]) => button);
        await expect
          .poll(() => buttonsOn(page), { timeout: 30_000, message: path })
          .toEqual(expect.arrayContaining(expected));
        await expect.poll(() => page.getByText('Loading…').count(), { timeout: 30_000 }).toBe(0);
        const seen = await buttonsOn(page);
        wrong.push(
          ...names
            .filter(([button]) => seen.includes(button) && !expected.includes(button))
            .map(([b]) => `${path}: ${b}`),
        );
        if ((await page.getByRole('alert').count()) > 0) wrong.push(`${path}: a problem`);
      }
      expect(wrong).toEqual([]);
      if (name !== 'ada') await page.context().close();
    },
    180_000,
  );

  test('what a role forbids answers with the problem when its address is typed', async () => {
    const page = await dashboard.pageOf('grace');
    for (const path of ['/audit', '/provider-tokens']) {
      await page.goto(at + path);
      await page.getByRole('alert').waitFor();
    }
    await page.goto(`${at}/usage?side=revenue`);
    await page.getByRole('alert').first().waitFor();
    await page.context().close();
  });

  test('a stranger sees nothing of it', async () => {
    const page = await dashboard.pageOf('stranger');
    for (const [path] of screens.slice(0, 4)) {
      await page.goto(at + path);
      await page.getByText('No such organization').waitFor();
    }
    await page.goto(`${at.replace(/\/org\/.*/, '/me')}${screens[2]?.[0] ?? ''}`);
    await page.getByRole('alert').waitFor();
    await page.context().close();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
