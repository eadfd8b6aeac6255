import { mkdtemp, rm } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { budgets } from '@kethub/dashboard/budgets';
import { sizesOf } from '@kethub/dashboard/sizes';
import { awaited, watchTraffic } from '@kethub/dashboard/test/traffic';
import { insertMany } from '@kethub/server/foundation/storage';
import { deploy, type TestKethub } from '@kethub/server/testing/kethub';
import { ticksOf, withDashboard } from '../lib/browser.ts';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const EXECUTIONS = 10_000;
const LINES = 100_000;
const RESULT_BYTES = 20_000_000;
const ROUNDS = 7;
const KEYS = 20;
/** Milliseconds that the measurement waits for the browser. */
const LONGEST_MS = 150_000;
/** Milliseconds in which a button that is there is pressed. */
const CLICK_MS = 5_000;
const FILES = {
  'src/program.py': `def run(lines: int = 0, rows: int = 0) -> list:
    for line in range(lines):
        print("line", line)
    return [{"step": row, "energy": -row / 3, "state": "0110" * 4} for row in range(rows)]
`,
};
/** Bytes of one row of the result. */
const ROW_BYTES = 70;
/** A program that runs another one, and prints its processor time in seconds and its memory in kilobytes. */
const RUSAGE = `
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss]))`;

/** The budgets of the dashboard: what a browser loads, how soon it shows data, and what a key costs on large pages. */
export async function dashboard(): Promise<Measurement[]> {
  const build = await buildOnce();
  return withDashboard(LONGEST_MS, async (page, origin, kethub) => {
    const { service } = await deploy(kethub.client, 'Large', FILES);
    const start = async (json: Record<string, unknown>): Promise<string> => {
      const { id } = await kethub.client.startJob({ serviceId: service.id, json, headers: { prefer: 'wait=60' } });
      for await (const { status } of kethub.client.executions.watch(id))
        if (!['PENDING', 'RUNNING', 'SUCCEEDED'].includes(status)) throw new Error(`An execution ended as ${status}`);
      return id;
    };
    const log = await start({ lines: LINES });
    const result = await start({ rows: Math.ceil(RESULT_BYTES / ROW_BYTES) });
    return [
      ...build,
      ...(await firstVisit(page, origin)),
      await runPage(page, origin, service.id),
      await list(page, origin, kethub, await start({})),
      await searchedLog(page, `${origin}/me/executions/${log}`),
      await largeResult(page, `${origin}/me/executions/${result}`),
    ];
  });
}

/** Processor time and memory of a build, and its bytes. */
async function buildOnce(): Promise<Measurement[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-bench-'));
  try {
    const program = path.resolve(import.meta.dirname, '../../apps/dashboard/build.ts');
    const command = ['-c', RUSAGE, process.execPath, program, folder];
    const env = { ...process.env, NODE_ENV: 'production' };
    const [seconds, kilobytes] = JSON.parse(execFileSync('/usr/bin/python3', command, { encoding: 'utf8', env })) as [
      number,
      number,
    ];
    const { first, pages } = sizesOf(folder);
    const how = 'one build as the first start makes it';
    const bytes = (name: string, found: number, most: number, what: string): Measurement =>
      row(name, 'kB', found / 1000, most / 1000, what);
    return [
      row('build', 's of processor time', seconds, budgets.build.processorSeconds, how),
      row('memory of the build', 'MB', kilobytes / 1000, budgets.build.megabytes, `${how}, its largest process`),
      bytes('first visit, scripts', first.js, budgets.first.js, 'bytes with brotli that index.html names or imports'),
      bytes('first visit, styles', first.css, budgets.first.css, 'the same for styles'),
      bytes('first visit, fonts', first.font, budgets.first.font, 'the font of Latin letters'),
      ...Object.entries(pages).map(([page, found]) =>
        bytes(
          `${page} on top`,
          found,
          budgets.pages[page] ?? 0,
          'scripts with brotli that the page imports beside those of the first visit, without its worker',
        ),
      ),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Loads of the first screen by somebody who is signed in: in a browser that has nothing, and once more in the same. */
async function firstVisit(page: Page, origin: string): Promise<Measurement[]> {
  const storageState = await page.context().storageState();
  const traffic = watchTraffic(origin);
  const found = { main: [] as number[], requests: [] as number[], painted: [] as number[], data: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const context = await page.context().browser()?.newContext({ viewport: page.viewportSize(), storageState });
    if (!context) throw new Error('The browser has ended');
    context.setDefaultTimeout(LONGEST_MS);
    const fresh = await context.newPage();
    await fresh.addInitScript(NOTE_DATA);
    // The browser counts anew with each document.
    const ticks = await ticksOf(fresh);
    traffic.requests.length = 0;
    await loadHome(fresh, origin);
    found.requests.push(awaited(traffic.requests).length);
    found.main.push(await ticks.now());
    await ticks.end();
    await loadHome(fresh, origin);
    found.painted.push(await number(fresh, FIRST_PAINT));
    found.data.push(await number(fresh, 'window.kethubData'));
    await context.close();
  }
  traffic.close();
  const cold = `${ROUNDS} loads of the first screen with nothing in the cache`;
  const warm = `${ROUNDS} loads of the first screen by somebody who has been there`;
  const { mainThreadToFirstData, firstPaint, firstDataAgain } = budgets.milliseconds;
  return [
    row(
      'to the first data, cold',
      'ms of processor time',
      median(found.main),
      mainThreadToFirstData,
      `${cold}, thread of the page`,
      found.main,
    ),
    row(
      'requests to the first data',
      '',
      median(found.requests),
      budgets.requestsToFirstData,
      `${cold}: the page, its files, the silent sign-in and the data, without the event stream that stays open`,
      found.requests,
    ),
    row('first paint', 'ms', median(found.painted), firstPaint, warm, found.painted),
    row('to the first data, signed in', 'ms', median(found.data), firstDataAgain, warm, found.data),
  ];
}

/** The time of the first paint, as soon as the browser reports it. */
const FIRST_PAINT = `new Promise((done) =>
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') done(startTime);
  }).observe({ type: 'paint', buffered: true }))`;

/** Notes when the heading and the rows of the first screen are in the page. */
const NOTE_DATA = `
  new MutationObserver((_changes, observer) => {
    if (!document.querySelector('main .list a.name')) return;
    window.kethubData = performance.now();
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });`;

async function loadHome(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/me`);
  await page.locator('main .list a.name').first().waitFor();
}

/** Bytes of the scripts that the run page has loaded when it stands still, beside those of the first screen. */
async function runPage(page: Page, origin: string, serviceId: string): Promise<Measurement> {
  const bytesOf = async (address: string): Promise<number> => {
    await page.goto(origin + address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    return number(
      page,
      `performance.getEntriesByType('resource').filter(({ name }) => /\\/assets\\/.*js$/.test(name)).reduce((all, one) => all + one.encodedBodySize, 0)`,
    );
  };
  const home = await bytesOf('/me');
  const run = (await bytesOf(`/me/services/${serviceId}/run`)) - home;
  const most = (budgets.pages['run-page'] ?? 0) / 1000;
  return row(
    'run page on top, loaded',
    'kB',
    run / 1000,
    most,
    'scripts that a browser has loaded for it, with brotli',
  );
}

/** Keys in a list of 10,000 executions, all of them loaded. */
async function list(page: Page, origin: string, { platform }: TestKethub, example: string): Promise<Measurement> {
  await platform.database.write(async (transaction) => {
    const one = await transaction
      .selectFrom('executions')
      .selectAll()
      .where('id', '=', example)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: EXECUTIONS }, () => ({ ...one, id: platform.newId() }));
    await insertMany(transaction, 'executions', Object.keys(one) as (keyof typeof one)[], rows);
  });
  await page.goto(`${origin}/me/executions`);
  const more = page.getByRole('button', { name: 'Show more' });
  while (true) {
    await page.locator('main .list a.name').first().waitFor();
    if ((await more.count()) === 0) break;
    // The button goes away with the last page, perhaps between two looks.
    await more.click({ timeout: CLICK_MS }).catch(() => undefined);
  }
  await page.evaluate('scrollTo(0, 0)');
  const keys = ['j', 'j', 'k', 'PageDown', 'End', 'Home'];
  const moved = await keyTimes(
    page,
    Array.from({ length: KEYS * 2 }, (_, at) => keys[at % keys.length] ?? 'j'),
  );
  await page.getByLabel('Tag').focus();
  const typed = await keyTimes(page, Array.from('anneal'));
  return keyRow('a list of 10,000 executions', 'j, k, PageDown, End, Home, then typing into a filter', {
    moved,
    typed,
  });
}

/** Keys on an execution with a log of 100,000 lines. */
async function searchedLog(page: Page, address: string): Promise<Measurement> {
  await page.goto(address);
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByText(`${LINES} lines, complete.`).waitFor();
  await page.getByLabel('Search the log').focus();
  const typed = await keyTimes(page, [
    ...Array.from('line 9'),
    ...Array.from('9999'),
    ...Array.from({ length: 10 }, () => 'Backspace'),
  ]);
  await page.getByRole('log').focus();
  const moved = await keyTimes(
    page,
    Array.from({ length: KEYS }, (_, at) => ['PageUp', 'Home', 'End'][at % 3] ?? 'End'),
  );
  return keyRow('a log of 100,000 lines', 'typing into its search, then PageUp, Home, End', { typed, moved });
}

/** Keys on an execution with a result of 20 MB. */
async function largeResult(page: Page, address: string): Promise<Measurement> {
  await page.goto(address);
  const table = page.getByRole('region', { name: /^Table of/ });
  await table.waitFor();
  await settled(page);
  await table.focus();
  const moved = await keyTimes(
    page,
    Array.from({ length: KEYS }, (_, at) => ['PageDown', 'End', 'Home'][at % 3] ?? 'End'),
  );
  await page.getByRole('tab', { selected: true }).focus();
  const tabs = await keyTimes(
    page,
    Array.from({ length: KEYS / 2 }, (_, at) => (at % 2 ? 'ArrowLeft' : 'ArrowRight')),
  );
  return keyRow('a result of 20 MB', 'PageDown, End, Home in its table, then from tab to tab', { moved, tabs });
}

/** Processor time of the page for each key, until it is drawn. */
async function keyTimes(page: Page, keys: readonly string[]): Promise<number[]> {
  const ticks = await ticksOf(page);
  const times: number[] = [];
  for (const key of keys) {
    const before = await ticks.now();
    await page.keyboard.press(key === ' ' ? 'Space' : key);
    await settled(page);
    times.push((await ticks.now()) - before);
  }
  await ticks.end();
  return times;
}

/** Waits until what was begun is drawn, and nothing has followed for a moment. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 150)))');
}

async function number(page: Page, expression: string): Promise<number> {
  return (await page.evaluate(expression)) as number;
}

function keyRow(what: string, keys: string, rounds: Readonly<Record<string, readonly number[]>>): Measurement {
  const slowest = Math.max(...Object.values(rounds).flat());
  const how = `processor time of the thread of the page for each key, until it is drawn: ${keys}`;
  return { ...row(`slowest key on ${what}`, 'ms of processor time', slowest, budgets.milliseconds.key, how), rounds };
}

function row(
  name: string,
  unit: string,
  value: number,
  atMost: number,
  how: string,
  found: readonly number[] = [],
): Measurement {
  return { name: `Dashboard: ${name}`, unit, value, goal: { atMost }, how, rounds: found.length > 0 ? { found } : {} };
}
