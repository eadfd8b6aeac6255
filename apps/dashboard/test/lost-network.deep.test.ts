import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CDPSession } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zip } from '@kethub/server/testing/zip';
import { picture } from './barriers.ts';
import { openDashboard, PROGRAM, type Dashboard } from './browser.ts';

const SOURCE = { 'src/__init__.py': '', 'src/program.py': 'def run():\n    return 1\n' };
/** Bytes that do not become fewer in a ZIP, so that an upload takes a while. */
const WEIGHT = 24 * 1024 * 1024;
const SLOW = 2 * 1024 * 1024;

describe.skipIf(!existsSync(PROGRAM))('a network that is lost, in a browser', () => {
  let dashboard: Dashboard;
  let folder: string;
  let network: CDPSession;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-lost-'));
    dashboard = await openDashboard();
    network = await dashboard.page.context().newCDPSession(dashboard.page);
    await network.send('Network.enable');
  }, 240_000);
  afterAll(async () => {
    await dashboard?.close();
    rmSync(folder, { recursive: true });
  });

  /** Lets the page send this many bytes a second; -1: as many as it can. */
  const shape = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });

  test('in the middle of the upload of a service: nothing typed is lost, and it is made once', async () => {
    const { page, kethub, origin } = dashboard;
    const archive = await zip({ ...SOURCE, 'data.bin': randomBytes(WEIGHT) });
    writeFileSync(path.join(folder, 'heavy.zip'), Buffer.from(await archive.arrayBuffer()));
    await page.goto(`${origin}/me/services/new`);
    await page.getByLabel('ZIP or BPMN file').setInputFiles(path.join(folder, 'heavy.zip'));
    await page.getByText('a ZIP, 24').waitFor();
    await page.getByLabel('Name').fill('Heavy');
    await page.getByLabel('Description').fill('Of the paper.');
    await shape(SLOW);
    await page.getByRole('button', { name: 'Upload and build' }).click();
    await page.getByText(/^[1-9][\d.]* [KM]B of 24/).waitFor();
    await picture(page, 'service-upload');
    // A browser sends a request whose connection breaks once more by itself.
    dashboard.traffic.lose('REQUESTS');
    await page.getByRole('alert').getByText('No connection').waitFor();
    await picture(page, 'service-upload-lost');
    dashboard.traffic.lose('NOTHING');
    await shape(-1);
    expect(await kethub.client.listServices()).toEqual([]);
    expect(await page.getByLabel('Description').inputValue()).toBe('Of the paper.');
    await page.getByRole('button', { name: 'Upload and build' }).click();
    await page.getByRole('heading', { name: '1.0.0' }).waitFor({ timeout: 120_000 });
    expect((await kethub.client.listServices()).map(({ name }) => name)).toEqual(['Heavy']);
  });

  test('an upload of a service is stopped by its button', async () => {
    const { page, kethub, origin } = dashboard;
    await page.goto(`${origin}/me/services/new`);
    await page.getByLabel('ZIP or BPMN file').setInputFiles(path.join(folder, 'heavy.zip'));
    await page.getByLabel('Name').fill('Stopped');
    await shape(SLOW);
    await page.getByRole('button', { name: 'Upload and build' }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await shape(-1);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect((await kethub.client.listServices()).map(({ name }) => name)).toEqual(['Heavy']);
  });

  test('after the upload, before its answer: the repetition makes nothing twice', async () => {
    const { page, kethub, origin } = dashboard;
    const archive = await zip(SOURCE);
    writeFileSync(path.join(folder, 'light.zip'), Buffer.from(await archive.arrayBuffer()));
    await page.goto(`${origin}/me/services/new`);
    await page.getByLabel('ZIP or BPMN file').setInputFiles(path.join(folder, 'light.zip'));
    await page.getByLabel('Name').fill('Light');
    dashboard.traffic.lose('ANSWERS');
    await page.getByRole('button', { name: 'Upload and build' }).click();
    await page.getByRole('alert').getByText('No connection').waitFor();
    dashboard.traffic.lose('NOTHING');
    const made = await kethub.client.listServices();
    expect(made.map(({ name }) => name)).toEqual(['Light', 'Heavy']);
    await page.getByRole('button', { name: 'Upload and build' }).click();
    await page.waitForURL(`${origin}/me/services/${made[0]?.id}/versions`);
    expect(await kethub.client.listServices()).toHaveLength(2);
  });

  test('in the middle of an upload into a data pool: it says so, and is tried again', async () => {
    const { page, kethub, origin } = dashboard;
    const { id } = await kethub.client.createDataPool({ json: { name: 'Pool' } });
    const large = path.join(folder, 'large.bin');
    writeFileSync(large, '');
    truncateSync(large, 64 * 1024 * 1024);
    await page.goto(`${origin}/me/data-pools/${id}`);
    await shape(SLOW);
    await page.getByLabel('Files to upload').setInputFiles(large);
    await page.getByText(/^[1-9][\d.]* [KM]B of 64/).waitFor();
    dashboard.traffic.lose('REQUESTS');
    await page.getByText('No connection').waitFor();
    dashboard.traffic.lose('NOTHING');
    await shape(-1);
    expect(await kethub.client.listDataPoolFiles({ dataPoolId: id })).toEqual([]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('cell', { name: 'large.bin', exact: true }).waitFor({ timeout: 120_000 });
    const [file] = await kethub.client.listDataPoolFiles({ dataPoolId: id });
    expect(file?.bytes).toBe(64 * 1024 * 1024);
  });

  test('no script but its own has run, and no request has left the origin', () =>
    expect(dashboard.complaints).toEqual([]));
});
