import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveFolder, type Served } from '@kethub/cli/serve';
import { quietShell } from '@kethub/cli/testing/ket';

const PROGRAM = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder for pictures of the page; none when it is not set. */
const PICTURES = process.env['KETHUB_SCREENSHOTS'];
const PROGRAM_TEXT = `
import base64, time
from kethub import SecretValue

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

def run(data: dict, shots: int = 10, exact: bool = False, token: SecretValue = None) -> dict:
    """Counts, slowly."""
    for step in range(3):
        print("step", step, flush=True)
        time.sleep(0.2)
    with open("/var/runtime/output/plot.png", "wb") as file:
        file.write(base64.b64decode(PIXEL))
    return {"doubled": data["n"] * 2, "shots": shots, "exact": exact, "secret": token is not None}
`;

let folder: string;
let served: Served;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'kethub-page-'));
  mkdirSync(path.join(folder, 'src'));
  mkdirSync(path.join(folder, 'input'));
  writeFileSync(path.join(folder, 'src/program.py'), PROGRAM_TEXT);
  writeFileSync(path.join(folder, 'input/data.json'), '{"n": 21}');
  const { shell, output } = quietShell(folder);
  const options = { port: 0, mode: 'paths', python: '/usr/bin/python3', quiet: true } as const;
  served = await serveFolder(shell, output, folder, options);
  await served.service.start();
  browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  page = await browser.newPage({ viewport: { width: 1360, height: 860 } });
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });
  await page.goto(served.url);
});
afterAll(async () => {
  await browser.close();
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

async function picture(name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: path.join(PICTURES, `serve-${name}.png`), fullPage: true });
}

test('a service is tried: form from the signature, log, result, picture and the same call', async () => {
  expect(await page.getByLabel('data').inputValue()).toContain('"n": 21');
  await page.getByLabel('shots').fill('7');
  await page.getByLabel('exact').check();
  await page.getByLabel('token').fill('open-sesame');
  expect(await page.locator('#call').textContent()).toContain('"shots": 7');
  expect(await page.locator('#call').textContent()).not.toContain('open-sesame');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('SUCCEEDED', { exact: true }).waitFor();
  await page.getByText('"doubled": 42').waitFor();
  expect(await page.locator('#log').textContent()).toContain('step 2');
  expect(JSON.parse((await page.locator('#result').textContent()) ?? '')).toEqual({
    doubled: 42,
    shots: 7,
    exact: true,
    secret: true,
  });
  await page.getByAltText('plot.png').waitFor();
  expect(await page.getByRole('link', { name: 'plot.png' }).count()).toBe(1);
  await picture('run');
});

test('it has no barriers, in light and in dark, and fits a telephone', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The policy of the page lets no script in; the browser's own evaluation is not bound by it.
    await page.evaluate(AXE);
    const found = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
    expect(found.violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`)).toEqual([]);
    await picture(colorScheme);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await picture('telephone');
});

test('a save that cannot be imported is reported with its line, and a mended one shows the new signature', async () => {
  writeFileSync(path.join(folder, 'src/program.py'), 'def run(data:\n');
  await page.getByText('src/program.py, line 1').waitFor();
  await picture('problem');
  writeFileSync(path.join(folder, 'src/program.py'), 'def run(text: str): return {"text": text}\n');
  await page.getByLabel('text').waitFor();
  expect(await page.locator('#problem').isVisible()).toBe(false);
  expect(complaints).toEqual([]);
});
