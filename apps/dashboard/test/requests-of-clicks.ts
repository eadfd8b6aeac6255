import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { table } from '@kethub/client/platform-table';
import { open } from './barriers.ts';

/** Milliseconds in which a button is pressed, or is one that something covers. */
const PRESS_MS = 2_000;
/** Milliseconds in which a press opens a dialog or sends its request. */
const SETTLE_MS = 50;
const REFUSAL = {
  type: 'about:blank',
  title: 'Not sent',
  status: 409,
  code: 'conflict',
  detail: 'A test has kept it.',
};

/** Requests that the clicks of a page have led to. */
export interface Requests {
  /** Ids of operations that would change something. None of them has reached the platform. */
  readonly changes: ReadonlySet<string>;
  /** Reading requests that the platform has answered with 403. */
  readonly forbidden: readonly string[];
  /** Presses every button of a screen, and the last one of each dialog that opens. Returns how many. */
  pressAll(address: string): Promise<number>;
}

/** Keeps every request of this page that would change something from the platform. */
export async function watchRequests(page: Page): Promise<Requests> {
  const changes = new Set<string>();
  const forbidden: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403) forbidden.push(`${response.request().method()} ${response.url()}`);
  });
  await page.route('**/api/**', async (route) => {
    const request = route.request();
    if (['GET', 'HEAD'].includes(request.method())) return route.continue();
    changes.add(operationOf(request.method(), new URL(request.url()).pathname.slice('/api'.length)));
    await route.fulfill({ status: 409, contentType: 'application/problem+json', body: JSON.stringify(REFUSAL) });
  });
  return { changes, forbidden, pressAll: (address) => pressAll(page, address) };
}

async function pressAll(page: Page, address: string): Promise<number> {
  await open(page, address);
  const buttons = page.locator('main button:enabled:visible');
  const count = await buttons.count();
  for (let index = 0; index < count; index++) {
    // The changes of an earlier click are loaded again.
    if (page.url() !== address || (await buttons.count()) !== count) await open(page, address);
    await press(page, index);
  }
  return count;
}

async function press(page: Page, index: number): Promise<void> {
  const button = page.locator('main button:enabled:visible').nth(index);
  await button.click({ timeout: PRESS_MS }).catch(() => undefined);
  const dialog = page.getByRole('dialog');
  const items = page.getByRole('menuitem');
  await pause(SETTLE_MS);
  if ((await items.count()) > 0)
    await items
      .last()
      .click({ timeout: PRESS_MS })
      .catch(() => undefined);
  if ((await dialog.count()) === 0) return;
  for (const field of await dialog
    .locator('input[type=text]:enabled, input:not([type]):enabled, textarea:enabled')
    .all())
    if ((await field.inputValue()) === '') await field.fill('word').catch(() => undefined);
  const last = dialog.locator('button:enabled:visible').last();
  await last.click({ timeout: PRESS_MS }).catch(() => undefined);
  await pause(SETTLE_MS);
  for (let times = 0; times < 3 && (await dialog.count()) > 0; times++) await page.keyboard.press('Escape');
}

/** The id of the operation at a path. */
function operationOf(method: string, path: string): string {
  const found = Object.entries(table).find(
    ([, row]) => row[0] === method && new RegExp(`^${row[1].replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return found?.[0] ?? `${method} ${path}`;
}
