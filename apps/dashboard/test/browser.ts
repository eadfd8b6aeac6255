import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { sqlite } from '../../server/src/testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../server/src/testing/kethub.ts';

export const PROGRAM = '/usr/bin/chromium';
/** Containers often have a /dev/shm of 64 MB only, in which a large page crashes. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage'];
const PASSWORD = 'correct horse battery staple';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder in which a picture of every looked-at screen is left; none when it is not set. */
const PICTURES = process.env['KETHUB_SCREENSHOTS'];
const WIDE = { width: 1360, height: 860 };
const NARROW = { width: 390, height: 800 };

/** A platform with its dashboard, and a browser in which a person has signed in. */
export interface Dashboard {
  readonly kethub: TestKethub;
  readonly page: Page;
  readonly origin: string;
  /** Reports of the content security policy, errors of scripts, and requests to other origins. */
  readonly complaints: readonly string[];
  /** Another tab of the browser of `page`. */
  newPage(): Promise<Page>;
  /** A page of another browser, in which this person has signed in. */
  pageOf(username: string): Promise<Page>;
  /** Barriers of these screens and whatever makes them wider than a telephone, in light and in dark. */
  barriersOn(screens: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

export async function openDashboard(settings: Readonly<Record<string, string>> = {}): Promise<Dashboard> {
  const kethub = await startTestKethub(sqlite, { KETHUB_DASHBOARD: 'auto', ...settings });
  const { origin } = new URL(kethub.platform.addresses.api);
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ARGUMENTS });
  const complaints: string[] = [];
  const pageIn = async (context: BrowserContext): Promise<Page> => {
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/Content Security Policy|Content-Security-Policy/i.test(message.text())) complaints.push(message.text());
    });
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== origin) complaints.push(`request to ${url.origin}`);
    });
    return page;
  };
  const pageOf = async (username: string): Promise<Page> => {
    const page = await pageIn(await browser.newContext({ viewport: WIDE }));
    // While the dashboard is built, the plain page looks again by itself.
    await page.goto(`${origin}/`);
    await page.getByRole('button', { name: 'Sign in' }).click({ timeout: 150_000 });
    await page.locator('input[name=username]').fill(username);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.locator('input[name=password]').press('Enter');
    await page.getByRole('heading', { name: 'Last executions' }).waitFor();
    return page;
  };
  const page = await pageOf('ada');
  return {
    kethub,
    page,
    origin,
    complaints,
    newPage: () => pageIn(page.context()),
    pageOf,
    async barriersOn(screens) {
      const found: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const screen of screens) {
          await page.goto(origin + screen);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
          found.push(...(await violations(page)).map((one) => `${colorScheme} ${screen}: ${one}`));
          await picture(page, `${colorScheme}${screen}`);
          await page.setViewportSize(NARROW);
          const width = await page.evaluate('document.documentElement.scrollWidth');
          if (width !== NARROW.width) found.push(`${screen} is ${String(width)} wide`);
          await picture(page, `narrow-${colorScheme}${screen}`);
          await page.setViewportSize(WIDE);
        }
      }
      return found;
    },
    async close() {
      await browser.close();
      await kethub.close();
    },
  };
}

/** Rules about the landmarks of a page: an open dialog and its lists lie beside all landmarks. */
const LANDMARKS = ['landmark-no-duplicate-banner', 'landmark-unique', 'region'];

/** Violations in an open dialog, in words. */
export async function violationsInDialog(page: Page): Promise<string[]> {
  return (await violations(page)).filter((one) => !LANDMARKS.some((rule) => one.startsWith(`${rule}:`)));
}

/** Violations of WCAG 2.2 A and AA and of best practice, in words. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)',
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Leaves a picture of the page, for a person to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const file = `${name.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replaceAll(/[^\w-]+/g, '-')}.png`;
  await page.screenshot({ path: path.join(PICTURES, file), fullPage: true });
}
