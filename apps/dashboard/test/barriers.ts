import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder in which a picture of every looked-at screen is left; none when it is not set. */
const PICTURES = process.env['KETHUB_SCREENSHOTS'];
export const WIDE = { width: 1360, height: 860 };
const NARROW = { width: 390, height: 800 };

/** Barriers of these screens and whatever makes them wider than a telephone, each loaded directly, in light and then in dark. */
export async function barriersOn(page: Page, origin: string, screens: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const screen of screens) {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await open(page, origin + screen);
    found.push(...(await barriersInBoth(page, screen)));
  }
  return found;
}

/** Barriers of a page that is shown, in light and in dark. */
export async function barriersInBoth(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // The elements are the same in both: in dark, only the rules that look at colours can find more.
    found.push(...(await barriersOf(page, `${colorScheme}${name}`, colorScheme === 'dark' ? COLOURS : {})));
  }
  return found;
}

/** Loads a screen directly, and waits until nothing of it is being loaded. */
export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page
    .getByRole('heading', { level: 1 })
    .first()
    .waitFor()
    .catch((cause: unknown) => {
      throw new Error(`${address} shows no heading`, { cause });
    });
  while ((await page.getByText('Loading…').count()) > 0) await pause(50);
}

/** Barriers of the page as it is, and whatever makes it wider than a telephone. Pictures of both widths are left. */
export async function barriersOf(page: Page, name: string, rules: object = {}): Promise<string[]> {
  const found = (await violations(page, rules)).map((one) => `${name}: ${one}`);
  await picture(page, name);
  await page.setViewportSize(NARROW);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  if (width !== NARROW.width) found.push(`${name} is ${String(width)} wide`);
  await picture(page, `narrow-${name}`);
  await page.setViewportSize(WIDE);
  return found;
}

/** Rules about the landmarks of a page: an open dialog and its lists lie beside all landmarks. */
const LANDMARKS = ['landmark-no-duplicate-banner', 'landmark-unique', 'region'];

/** Violations in an open dialog, in words, but those of these rules. */
export async function violationsInDialog(page: Page, apart: readonly string[] = LANDMARKS): Promise<string[]> {
  return (await violations(page)).filter((one) => !apart.some((rule) => one.startsWith(`${rule}:`)));
}

/** Options of axe for the rules whose result depends on colours, as far as they are on by default. */
const COLOURS = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

/** Violations of WCAG 2.2 A and AA and of best practice, in words. @param rules options of axe that choose rules. */
async function violations(page: Page, rules: object = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    `axe.run(document, ${options}).then((result) => result.violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Leaves a picture of the page, for a person to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) keepPicture(name, await page.screenshot({ fullPage: true }));
}

/** Leaves a picture in the folder of pictures. */
export function keepPicture(name: string, png: Buffer): void {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  const file = `${name.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{40}/g, 'id').replaceAll(/[^\w-]+/g, '-')}.png`;
  writeFileSync(path.join(PICTURES, file), png);
}
