import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestKethub } from '@kethub/server/testing/kethub';
import { budgets } from '../budgets.ts';
import { KEYS } from '../src/shell/keys-table.ts';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';
import { awaited } from './traffic.ts';

const HOSTILE_NAME = '<img src=x onerror="window.hacked=1">';
const SERVICE = {
  'src/__init__.py': '',
  'src/program.py': `
import pathlib, time
from dataclasses import dataclass, field
from typing import Literal, Optional


@dataclass
class Data:
    qubits: int
    labels: list[str] = field(default_factory=list)
    mode: Literal["fast", "exact"] = "fast"
    seed: Optional[int] = None


def run(data: Data, seconds: float = 0) -> dict:
    print("<script>window.hacked=1</script> begins")
    for second in range(int(seconds)):
        print("second", second)
        time.sleep(1)
    if data.qubits > 24:
        raise ValueError("qubits must be at most 24")
    out = pathlib.Path("/var/runtime/output")
    script = "<script>document.documentElement.dataset.hacked=1;alert(1)</script>"
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='80' height='40'>" + script + "<rect width='80' height='40'/></svg>"
    (out / "picture.svg").write_text(svg)
    (out / "page.html").write_text("<script>window.hacked=1</script>")
    return {
        "seed": data.seed,
        "counts": {"00": 512, "01": 7, "10": 5, "11": 500},
        "rows": [{"step": step, "energy": -step / 3} for step in range(300)],
        "text": "<img src=x onerror='window.hacked=1'>",
    }
`,
  'input/data.json': '{"qubits": 3, "labels": ["a", "b"], "mode": "exact", "seed": 18446744073709551616}',
};

/** Presses of Tab that a person would never make to reach one button. */
const MOST_PRESSES = 80;

describe.skipIf(!existsSync(PROGRAM))('the dashboard in a browser', () => {
  let dashboard: Dashboard;
  let kethub: TestKethub;
  let page: Page;
  let origin: string;
  let folder: string;
  const stored = (): Promise<string> =>
    page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-browser-'));
    for (const [name, content] of Object.entries(SERVICE)) {
      mkdirSync(path.dirname(path.join(folder, 'hostile', name)), { recursive: true });
      writeFileSync(path.join(folder, 'hostile', name), content);
    }
    dashboard = await openDashboard();
    ({ kethub, page, origin } = dashboard);
  }, 240_000);
  afterAll(async () => {
    await dashboard?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  test('a person signs in, and no token is stored', async () => {
    expect(new URL(page.url()).pathname).toBe('/me');
    expect(await stored()).not.toMatch(/eyJ|token/i);
    expect(await kethub.client.listServices()).toEqual([]);
  });

  test('a folder becomes a service, whose build is followed', async () => {
    await page.getByRole('link', { name: 'New service' }).first().click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a folder' }).click();
    await (await chooser).setFiles(path.join(folder, 'hostile'));
    await page.getByText('3 files').waitFor();
    await page.getByLabel('Name').fill(HOSTILE_NAME);
    await page.getByRole('button', { name: 'Upload and build' }).click();
    await page.getByRole('log').getByText('Found run(').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Publish' }).waitFor({ timeout: 60_000 });
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(HOSTILE_NAME);
  });

  test('what is missing or wrong is said at its field, before anything runs', async () => {
    await page.getByRole('link', { name: 'Run', exact: true }).first().click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('This is needed.').waitFor();
    const focused = () => page.evaluate('document.activeElement?.dataset.pointer');
    await expect.poll(focused).toBe('/data/qubits');
    await page.getByLabel(/^qubits/).fill('1.5');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('This is not a whole number.').waitFor();
    expect(await kethub.client.listOwnedExecutions()).toEqual([]);
  });

  test('the example runs: log, exact numbers, histogram, table, picture; nothing hostile runs', async () => {
    await page.getByRole('button', { name: 'Fill in the example' }).click();
    await expect.poll(() => page.getByLabel(/^qubits/).inputValue()).toBe('3');
    expect(await page.getByLabel(/^seed/).inputValue()).toBe('18446744073709551616');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Succeeded').waitFor({ timeout: 60_000 });
    expect(await page.locator('.facts').textContent()).toContain('18446744073709551616');
    const histogram = page.locator('.histogram');
    expect(await histogram.locator('tbody tr').first().textContent()).toBe('|00⟩512');
    await page.getByText('Share', { exact: true }).click();
    expect(await histogram.locator('tbody tr').first().textContent()).toBe('|00⟩50.0%');
    await page.getByRole('button', { name: 'energy' }).click();
    expect(
      await page.getByRole('region', { name: 'Table of 300 rows' }).locator('tbody td').first().textContent(),
    ).toBe('299');
    await page.getByRole('tab', { name: 'Files 2' }).click();
    const picture = page.getByRole('img', { name: 'picture.svg' });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(80);
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('log').getByText('<script>window.hacked=1</script> begins').waitFor();
    await page.getByRole('tab', { name: 'Record' }).click();
    await page.getByText('Everything that was recorded').waitFor();
    expect(await page.evaluate('[window.hacked, document.documentElement.dataset.hacked]')).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('the address brings the execution back after a reload, and in a second tab without a sign-in', async () => {
    expect(new URL(page.url()).searchParams.get('execution')).toMatch(/^[0-9a-f-]{36}$/);
    await page.reload();
    await page.getByText('Succeeded').waitFor();
    // The form has the input of the execution again, every digit of it.
    await expect.poll(() => page.getByLabel(/^qubits/).inputValue()).toBe('3');
    expect(await page.getByLabel(/^seed/).inputValue()).toBe('18446744073709551616');
    await page.getByRole('tab', { name: 'Files 2' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).first().click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.(?:svg|html)$/);
    expect(new URL(download.url()).pathname).toBe('/api/downloads');
    await download.cancel();
    const second = await dashboard.newPage();
    await second.goto(page.url());
    await second.getByText('Succeeded').waitFor();
    await second.close();
  });

  test('an execution that runs is shown as running, and is cancelled', async () => {
    await page.getByLabel(/^qubits/).fill('2');
    await page.getByLabel(/^seconds/).fill('60');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('log').getByText('second 0').waitFor();
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
  });

  test('a failure says its cause', async () => {
    await page.getByLabel(/^qubits/).fill('99');
    await page.getByLabel(/^seconds/).fill('');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Failed', { exact: true }).waitFor();
    await page
      .getByText(/qubits must be at most 24/)
      .first()
      .waitFor();
  });

  test('a version is published, and its address can be copied', async () => {
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(kethub.platform.addresses.gateway).waitFor();
  });

  test('a list is renewed by events: an execution that others start appears by itself', async () => {
    await page.goto(`${origin}/me/executions`);
    const rows = page.getByRole('row');
    await rows.nth(1).waitFor();
    const before = await rows.count();
    const [service] = await kethub.client.listServices();
    if (!service) throw new Error('The service is there since an earlier test');
    await kethub.client.startJob({ serviceId: service.id, json: { data: { qubits: 2 } } });
    await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(before + 1);
    await rows.nth(1).getByText('Succeeded').waitFor({ timeout: 60_000 });
  });

  test('executions are listed, filtered by the address, and reached by keys', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Executions', level: 1 }).waitFor();
    await expect.poll(() => page.locator('.list tbody tr').count()).toBe(4);
    await page.goto(`${page.url()}?tag=nothing-has-it`);
    await page.getByText('No execution fits this filter.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.locator('.list tbody tr').count()).toBe(4);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search or go to…').fill('New');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New service' }).waitFor();
    // While the palette fades away, keys of the page do nothing.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('a service is found, filled in and run by keys alone, and run again', async () => {
    const tabTo = async (name: RegExp): Promise<void> => {
      const focused = () =>
        page.evaluate('(document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? "").trim()');
      for (let presses = 0; !name.test(String(await focused())); presses++) {
        if (presses === MOST_PRESSES) throw new Error(`${MOST_PRESSES} presses of Tab do not reach ${name}`);
        await page.keyboard.press('Tab');
      }
    };
    // The palette of the test before fades away.
    await page.getByPlaceholder('Search or go to…').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search or go to…').waitFor();
    await page.keyboard.type('Run ');
    await page.getByRole('option', { name: /^Run / }).first().or(page.getByText(/^Run /).first()).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Fill in the example' }).waitFor();
    await tabTo(/^Fill in the example$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel(/^qubits/).inputValue()).toBe('3');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await tabTo(/^Full page$/);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Run again' }).waitFor();
    await page.keyboard.press('r');
    await expect.poll(() => page.getByLabel(/^qubits/).inputValue()).toBe('3');
  });

  test('each key of the help does what it says', async () => {
    const [execution] = await kethub.client.listOwnedExecutions();
    const id = execution?.id ?? '';
    const focused = () => page.evaluate('document.activeElement?.getAttribute("href")');
    const isAt = async (path: string): Promise<void> => {
      await expect.poll(() => new URL(page.url()).pathname, { timeout: 30_000 }).toBe(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
    };
    const closes = async (): Promise<void> => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    const opens = async (key: string, placeholder: string): Promise<void> => {
      await page.keyboard.press(key);
      await page.getByPlaceholder(placeholder).waitFor();
    };
    const goes = (key: string, path: string) => async (): Promise<void> => {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await isAt(path);
    };
    const checks: Readonly<Record<string, () => Promise<void>>> = {
      'Ctrl K  or  /': async () => {
        for (const key of ['Control+k', '/']) {
          await opens(key, 'Search or go to…');
          await closes();
        }
      },
      '?': async () => {
        await page.keyboard.press('?');
        const help = page.getByRole('dialog', { name: 'Keys' });
        for (const { does } of KEYS) await help.getByText(does, { exact: true }).waitFor();
        await picture(page, 'keys');
        await closes();
      },
      'g s': goes('s', '/me/services'),
      'g w': goes('w', '/me/workflows'),
      'g a': goes('a', '/me/applications'),
      'g d': goes('d', '/me/data-pools'),
      'g h': goes('h', '/me'),
      'g e': goes('e', '/me/executions'),
      'j  k': async () => {
        await page.locator('.list a.name').nth(1).waitFor();
        const links = '[...document.querySelectorAll(".list a.name")].map((one) => one.getAttribute("href"))';
        const rows = (await page.evaluate(links)) as string[];
        for (const [key, at] of [
          ['j', 0],
          ['j', 1],
          ['k', 0],
        ] as const) {
          await page.keyboard.press(key);
          expect(await focused()).toBe(rows[at]);
        }
      },
      '.': async () => {
        await page.goto(`${origin}/me/executions/${id}`);
        await page.getByRole('link', { name: 'Run again' }).waitFor();
        await opens('.', 'Do on this page…');
        await page.getByText('Run again', { exact: true }).last().waitFor();
        await page.keyboard.type('Delete');
        await picture(page, 'actions-of-page');
        await page.keyboard.press('Enter');
        await page.getByRole('dialog', { name: /^Delete/ }).waitFor();
        await page.getByPlaceholder('Do on this page…').waitFor({ state: 'detached' });
      },
      Esc: async () => {
        const address = new URL(page.url()).pathname;
        // The first press closes the dialog only.
        await closes();
        expect(new URL(page.url()).pathname).toBe(address);
        await page.keyboard.press('Escape');
        await isAt('/me/executions');
        await page.goBack();
        await isAt(address);
      },
      r: async () => {
        await page.getByRole('link', { name: 'Run again' }).waitFor();
        await page.keyboard.press('r');
        await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
        const address = page.url();
        // Nothing that is typed here is lost.
        await page.getByRole('heading', { level: 1 }).click();
        await page.keyboard.press('Escape');
        await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
        expect(page.url()).toBe(address);
      },
      'Ctrl Enter': async () => {
        const address = page.url();
        await page.keyboard.press('Control+Enter');
        await expect.poll(() => page.url(), { timeout: 30_000 }).not.toBe(address);
        await page.getByText('Succeeded').waitFor({ timeout: 60_000 });
      },
    };
    expect(Object.keys(checks).toSorted()).toEqual(KEYS.map(({ keys }) => keys).toSorted());
    await page.goto(`${origin}/me`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const check of Object.values(checks)) await check();
  }, 180_000);

  test('the first data of a browser that has nothing waits for few requests', async () => {
    const storageState = await page.context().storageState();
    // An open page asks as well, when an event renews it.
    await page.goto('about:blank');
    const context = await page.context().browser()?.newContext({ storageState });
    if (!context) throw new Error('The browser has ended');
    const fresh = await dashboard.newPageIn(context);
    dashboard.traffic.requests.length = 0;
    await fresh.goto(`${origin}/me`);
    await fresh.locator('main .list a.name').first().waitFor();
    const requests = awaited(dashboard.traffic.requests);
    expect(requests).toContain('GET /api/session');
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(budgets.requestsToFirstData);
    await context.close();
  });

  test('a viewer of an organization sees nothing that would be refused', async () => {
    const { id } = await kethub.client.createOrganization({ json: { name: 'Lab' } });
    const grace = await kethub.signIn('grace');
    const json = { email: 'grace@example.org', role: 'VIEWER' as const };
    const invitation = await kethub.client.invite({ organizationId: id, json });
    await grace.client.acceptInvitation({ invitationId: invitation.id });
    const other = await dashboard.pageOf('grace');
    await other.goto(`${origin}/org/${id}/services`);
    await other.getByRole('heading', { name: 'Services', level: 1 }).waitFor();
    await other.getByText('A service is a folder').waitFor();
    expect(await other.getByText('New service').count()).toBe(0);
    await other.goto(`${origin}/org/00000000-0000-7000-8000-000000000000/services`);
    await other.getByText('No such organization').waitFor();
    await other.context().close();
  });

  test('a hostile name, result and log make no barrier and nothing wider than a telephone, light and dark', async () => {
    const [service] = await kethub.client.listServices();
    const [execution] = await kethub.client.listOwnedExecutions();
    const screens = [
      '/me/services',
      `/me/services/${service?.id}`,
      `/me/services/${service?.id}/run?execution=${execution?.id}`,
      '/me/executions',
      `/me/executions/${execution?.id}`,
    ];
    expect(await dashboard.barriersOn(screens)).toEqual([]);
  }, 180_000);

  test('sign-out ends the session in every tab', async () => {
    const second = await dashboard.newPage();
    await second.goto(`${origin}/me`);
    await second.getByRole('heading', { name: 'Last executions' }).waitFor();
    await page.getByRole('button', { name: /account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button').first().click();
    // Nothing of the person is left in the other tab.
    await second.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(second.url()).pathname).toBe('/');
    await page.goto(`${origin}/`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await second.close();
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
