import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { zip } from '@kethub/server/testing/zip';
import { chromium, type Page } from 'playwright-core';
import { root } from '../run.ts';
import type { FirstStart } from './first-start.ts';
import { workflowPictures } from './workflow-pictures.ts';

const PROGRAM = '/usr/bin/chromium';
const SIZE = { width: 1280, height: 800 };
/** Milliseconds in which the dashboard is built and each page is there. */
const TIMEOUT_MS = 60_000;

/** Pictures of the dashboard of a first start, by the files that they become. */
export async function dashboardPictures({ lines, origins }: FirstStart): Promise<Record<string, Buffer>> {
  const password = /password (\S+)/.exec(lines.join('\n'))?.[1];
  if (password === undefined) throw new Error('The first start printed no password');
  const { origin } = new URL(origins.platform);
  const browser = await chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const context = await browser.newContext({ viewport: SIZE, reducedMotion: 'reduce', colorScheme: 'light' });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    await signIn(page, origin, password);
    const run = await runPage(page);
    const serviceId = /\/services\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
    await page.goto(`${origin}/me`);
    await page.getByRole('heading', { name: 'Newest services' }).waitFor();
    await settled(page);
    const home = await page.screenshot();
    return {
      'docs/images/dashboard-run.png': run,
      'docs/images/dashboard-home.png': home,
      ...(await workflowPictures(page, serviceId)),
      'docs/images/implementation.png': await implementationPage(page, origin),
    };
  } finally {
    await browser.close();
  }
}

async function signIn(page: Page, origin: string, password: string): Promise<void> {
  await page.goto(`${origin}/`);
  // While the dashboard is built, the plain page looks again by itself.
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('input[name=username]').fill('demo');
  await page.locator('input[name=password]').fill(password);
  await page.locator('input[name=password]').press('Enter');
  await page.getByRole('heading', { name: 'Last executions' }).waitFor();
}

/** The run page of the demo service with the result of its example. */
async function runPage(page: Page): Promise<Buffer> {
  await page.locator('section[aria-labelledby=newest] a.name').first().click();
  await page.getByRole('link', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Fill in the example' }).click();
  await page.getByText('From the folder input of the source.').waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Succeeded', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Execution' }).getByRole('img').first().waitFor();
  await settled(page);
  await page.evaluate('scrollTo(0, 0)');
  return page.screenshot();
}

/** The code of an implementation that holds the demo service. */
async function implementationPage(page: Page, origin: string): Promise<Buffer> {
  await page.goto(`${origin}/me/implementations`);
  await page.getByRole('button', { name: 'New implementation' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('maxcut');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('git remote add kethub').waitFor();
  await page.getByRole('button', { name: 'Upload files' }).click();
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByLabel('Files').click();
  await (await chooser).setFiles({ name: 'maxcut.zip', mimeType: 'application/zip', buffer: await demoArchive() });
  await dialog.getByRole('radio', { name: /whole content/ }).check();
  await dialog.getByLabel('Message').fill('The demo service');
  await dialog.getByRole('button', { name: 'Commit' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'README.md' }).waitFor();
  await page.mouse.move(0, 0);
  await settled(page);
  await page.evaluate('scrollTo(0, 0)');
  return page.screenshot();
}

async function demoArchive(): Promise<Buffer> {
  const cwd = path.join(root, 'examples/maxcut');
  const names = globSync('**/*.{py,md,json,txt}', { cwd }).toSorted();
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(cwd, name))]));
  return Buffer.from(await (await zip(files)).arrayBuffer());
}

/** Waits until every part of the page is there, and takes the focus from its fields. */
async function settled(page: Page): Promise<void> {
  // The stream of events stays open: the network is never idle.
  await page.getByText('Loading…').first().waitFor({ state: 'detached' });
  await page.evaluate('document.activeElement?.blur()');
}
