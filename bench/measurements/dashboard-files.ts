import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestKethub } from '@kethub/server/testing/kethub';
import type { Page } from 'playwright-core';
import { withDashboard } from '../lib/browser.ts';
import type { Measurement } from '../lib/measurement.ts';
import { memoryMb, memoryOf } from '../lib/process.ts';

const MB = 1024 * 1024;
const UPLOADED_MB = 1024;
const DOWNLOADED_MB = 3 * 1024;
/** Milliseconds that the measurement waits for the browser. */
const LONGEST_MS = 900_000;
/** Milliseconds between two looks at the memory. */
const LOOK_MS = 250;

/** Files of gigabytes in a data pool: uploaded and stopped in the browser, and downloaded by a ticket. */
export async function dashboardFiles(): Promise<Measurement[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-files-'));
  try {
    return await withDashboard(LONGEST_MS, (page, origin, kethub) => measure(page, origin, kethub, folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(page: Page, origin: string, kethub: TestKethub, folder: string): Promise<Measurement[]> {
  const { id: dataPoolId } = await kethub.client.createDataPool({ json: { name: 'Large' } });
  const upload = path.join(folder, 'upload.bin');
  const download = path.join(folder, 'download.bin');
  await fill(upload, UPLOADED_MB);
  await fill(download, DOWNLOADED_MB);
  await page.goto(`${origin}/me/data-pools/${dataPoolId}`);
  const input = page.getByLabel('Files to upload');
  await input.waitFor({ state: 'attached' });

  await stopHalfway(page, upload, kethub, dataPoolId);

  const up = await watched(async () => {
    const began = performance.now();
    await input.setInputFiles(upload);
    await page.getByText('upload.bin').first().waitFor();
    await page.getByRole('button', { name: 'Download upload.bin' }).waitFor();
    return performance.now() - began;
  });
  const [stored] = await kethub.client.listDataPoolFiles({ dataPoolId });
  if (stored?.bytes !== UPLOADED_MB * MB) throw new Error(`The platform has ${stored?.bytes ?? 0} bytes`);

  await input.setInputFiles(download);
  await page.getByRole('button', { name: 'Download download.bin' }).waitFor();
  let there = '';
  const down = await watched(async () => {
    const began = performance.now();
    const [taken] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download download.bin' }).click(),
    ]);
    there = await taken.path();
    return performance.now() - began;
  });
  const { size } = await stat(there);
  if (size !== DOWNLOADED_MB * MB) throw new Error(`${size} bytes came`);
  if ((await digestOf(there)) !== (await digestOf(download))) throw new Error('Other bytes came');
  return [...measurementsOf('upload', UPLOADED_MB, up), ...measurementsOf('download', DOWNLOADED_MB, down)];
}

/** Stops an upload in its middle, as a person does: it leaves no file in the pool. */
async function stopHalfway(page: Page, file: string, kethub: TestKethub, dataPoolId: string): Promise<void> {
  await page.getByLabel('Files to upload').setInputFiles(file);
  const bar = page.getByRole('progressbar', { name: 'Upload of upload.bin' });
  await bar.waitFor();
  while (Number(await bar.getAttribute('aria-valuenow')) < 25) await pause(LOOK_MS / 10);
  await page.getByRole('button', { name: 'Stop upload.bin' }).click();
  await bar.waitFor({ state: 'detached' });
  const left = await kethub.client.listDataPoolFiles({ dataPoolId });
  if (left.length > 0) throw new Error('A stopped upload has left a file');
}

interface Watched {
  readonly ms: number;
  /** Memory of the browser and of the platform above that at the beginning, in MB, at its highest. */
  readonly browserMb: number;
  readonly platformMb: number;
}

async function watched(work: () => Promise<number>): Promise<Watched> {
  const before = { browser: browserMb(), platform: memoryMb(process.pid) };
  let browser = 0;
  let platform = 0;
  const looking = setInterval(() => {
    browser = Math.max(browser, browserMb() - before.browser);
    platform = Math.max(platform, memoryMb(process.pid) - before.platform);
  }, LOOK_MS);
  try {
    return { ms: await work(), browserMb: browser, platformMb: platform };
  } finally {
    clearInterval(looking);
  }
}

function measurementsOf(kind: 'upload' | 'download', megabytes: number, { ms, browserMb, platformMb }: Watched) {
  const what = `${kind} of ${megabytes / 1024} GB in the browser`;
  const how = `one file of random bytes in a data pool, ${kind === 'upload' ? 'chosen on its page; another upload of it was stopped at a quarter before, and left nothing' : 'by the button, which asks for a ticket; size and SHA-256 of the downloaded file compared'}`;
  return [
    { name: `Dashboard: ${what}`, unit: 'MB/s', value: megabytes / (ms / 1000), goal: null, how, rounds: { ms: [ms] } },
    {
      name: `Dashboard: memory of the browser during the ${what}`,
      unit: 'MB',
      value: browserMb,
      goal: { atMost: 256 },
      how: `proportional memory of all processes of the browser above that before, at its highest, looked at every ${LOOK_MS} ms`,
      rounds: { browserMb: [browserMb] },
    },
    {
      name: `Dashboard: memory of the platform during the ${what}`,
      unit: 'MB',
      value: platformMb,
      goal: { atMost: 256 },
      how: 'the same of the platform, in whose process the measurement itself runs',
      rounds: { platformMb: [platformMb] },
    },
  ];
}

/** Memory of the browser that this process has started, all its processes together. */
function browserMb(): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== null) parents.set(Number(name), parent);
  }
  let sum = 0;
  for (const pid of parents.keys()) {
    let above: number | undefined = pid;
    while (above !== undefined && above !== process.pid) above = parents.get(above);
    if (above === process.pid && isBrowser(pid)) sum += memoryOf(pid);
  }
  return sum;
}

function parentOf(pid: string): number | null {
  try {
    return Number(
      readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) . /s, '')
        .split(' ')[0],
    );
  } catch {
    return null; // ended meanwhile
  }
}

function isBrowser(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`).includes('chromium');
  } catch {
    return false; // ended meanwhile
  }
}

/** Fills a file with bytes that no disk or connection makes shorter. */
async function fill(file: string, megabytes: number): Promise<void> {
  const chunk = Buffer.alloc(MB);
  const handle = await open(file, 'w');
  try {
    for (let at = 0; at < megabytes; at++) {
      crypto.getRandomValues(new Uint8Array(chunk.buffer, chunk.byteOffset + (at % 16) * 65_536, 65_536));
      await handle.write(chunk);
    }
  } finally {
    await handle.close();
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: MB })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
