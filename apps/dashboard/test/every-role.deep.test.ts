import { existsSync } from 'node:fs';
import type { MemberRole } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matrix } from '@kethub/server/testing/matrix';
import { addressOf, pathsBelow } from './addresses.ts';
import { barriersOf, open } from './barriers.ts';
import { fillIn, openDashboard, PASSWORD, PROGRAM, type Dashboard } from './browser.ts';
import { makeBothContexts, MEMBERS, type BothContexts } from './example-resources.ts';
import { watchRequests } from './requests-of-clicks.ts';

const RANK: Readonly<Record<MemberRole, number>> = { VIEWER: 0, MAINTAINER: 1, OWNER: 2 };
/** Screens that their menu entry is hidden from, which say why when their address is typed. */
const HIDDEN: Readonly<Record<string, MemberRole>> = { '/audit': 'OWNER', '/provider-tokens': 'MAINTAINER' };

describe.skipIf(!existsSync(PROGRAM))('every button of every screen, by role, in a browser', () => {
  let dashboard: Dashboard;
  let made: BothContexts;
  beforeAll(async () => {
    dashboard = await openDashboard();
    made = await makeBothContexts(dashboard.kethub);
  }, 300_000);
  afterAll(() => dashboard?.close());

  test.each(Object.entries(MEMBERS))(
    'no button that %s sees is refused to a %s',
    async (name, role) => {
      const page = await dashboard.pageOf(name);
      const requests = await watchRequests(page);
      let pressed = 0;
      for (const path of pathsBelow('/org/$organizationId')) {
        const least = HIDDEN[path];
        if (least !== undefined && RANK[role] < RANK[least]) continue;
        pressed += await requests.pressAll(
          `${dashboard.origin}/org/${made.organizationId}${addressOf(path, made.ofOrganization)}`,
        );
      }
      // The request of the last press may still be on its way.
      await expect
        .poll(() => [...requests.changes])
        .toContain(role === 'VIEWER' ? 'leaveOrganization' : 'startJobOfVersion');
      const beyond = [...requests.changes].filter((id) => RANK[matrix[id]?.role ?? 'VIEWER'] > RANK[role]);
      expect(beyond).toEqual([]);
      expect(requests.forbidden).toEqual([]);
      // Enough was pressed for the two lists to mean something.
      expect(pressed).toBeGreaterThan(50);
      await page.context().close();
    },
    600_000,
  );

  test('somebody who waits for approval sees on every screen that they wait, and no request is refused', async () => {
    const { kethub, origin } = dashboard;
    const person = { username: 'pending', email: 'pending@example.org', firstname: 'Pen', lastname: 'Ding' };
    await kethub.kethub.identity.createUser({ ...person, password: PASSWORD, status: 'PENDING' });
    const page = await dashboard.pageOfNobody();
    const forbidden: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) forbidden.push(response.url());
    });
    await page.goto(`${origin}/`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await fillIn(page, 'pending');
    // The sign-in says so as well, before it goes on.
    await page.getByRole('link', { name: 'Continue' }).click();
    const waits = page.getByRole('heading', { name: 'An administrator has to approve your account' });
    await waits.waitFor();
    const addresses = [
      ...pathsBelow('/me').map((path) => `/me${addressOf(path, made.own)}`),
      ...pathsBelow('/org/$organizationId').map(
        (path) => `/org/${made.organizationId}${addressOf(path, made.ofOrganization)}`,
      ),
    ];
    for (const address of addresses) {
      await open(page, origin + address);
      await waits.waitFor();
      expect(await page.getByRole('button').allTextContents()).toEqual(['Look again', 'Sign out']);
      expect(await page.getByRole('link').count()).toBe(0);
    }
    expect(await barriersOf(page, 'waiting')).toEqual([]);
    expect(forbidden).toEqual([]);
    await page.context().close();
  }, 300_000);

  test('who is no administrator sees neither the menu entry nor the registrations', async () => {
    const { page, origin } = dashboard;
    await open(page, `${origin}/me`);
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    await page.goto(`${origin}/me/administration`);
    await page.getByRole('alert').first().waitFor();
  });

  test('no script but its own has run, no error is in the console, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
