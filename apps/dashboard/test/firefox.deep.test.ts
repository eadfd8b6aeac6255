import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serviceForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { zipOf } from '@kethub/server/demo';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { zip } from '@kethub/server/testing/zip';
import { keepPicture } from './barriers.ts';
import { PASSWORD } from './browser.ts';
import { Firefox, FIREFOX } from './firefox.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/maxcut');

describe.skipIf(!existsSync(FIREFOX))('the main path in Firefox', () => {
  let kethub: TestKethub;
  let firefox: Firefox;
  let origin: string;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-firefox-files-'));
    const archive = await zip({ 'src/program.py': 'def run(n: int = 2):\n    return {"twice": 2 * n}\n' });
    writeFileSync(path.join(folder, 'Twice.zip'), Buffer.from(await archive.arrayBuffer()));
    kethub = await startTestKethub(sqlite, { KETHUB_DASHBOARD: 'auto' });
    ({ origin } = new URL(kethub.platform.addresses.api));
    await kethub.client.createService({ body: serviceForm({ name: 'Max-Cut', source: await zipOf(EXAMPLE) }) });
    firefox = await Firefox.start();
  }, 240_000);
  afterAll(async () => {
    await firefox?.close();
    await kethub?.close();
    rmSync(folder, { recursive: true });
  });

  test('a person signs in', async () => {
    await firefox.open(`${origin}/`);
    // While the dashboard is built, the plain page looks again by itself.
    await firefox.click('Sign in', '#root');
    await firefox.type(/^Username/, 'ada');
    await firefox.type(/^Password/, `${PASSWORD}\uE007`);
    await firefox.seesText('Last executions');
    const stored = await firefox.run('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(stored).not.toMatch(/eyJ|token/i);
  });

  test('the service of the demo runs, and its result has a picture', async () => {
    await firefox.click('Services');
    await firefox.click(/Max-Cut/);
    await firefox.click('Run it');
    await firefox.click('Fill in the example');
    await firefox.seesText('From the folder input of the source.');
    await firefox.click('Run', 'section[aria-label=Input]');
    await firefox.seesText('Succeeded');
    await firefox.click(/^Files/);
    await firefox.until('document.querySelector("img[alt=\'cut.svg\']")?.naturalWidth > 0');
    keepPicture('firefox-result', await firefox.screenshot());
  });

  test('a service is uploaded, built and published', async () => {
    await firefox.click('Services');
    await firefox.click('New service');
    await firefox.setFiles('ZIP or BPMN file', [path.join(folder, 'Twice.zip')]);
    await firefox.click('Upload and build');
    await firefox.click('Publish');
    await firefox.click('Publish', '[role=dialog]');
    await firefox.seesText('Published');
    expect((await kethub.client.listServices()).map(({ name }) => name).toSorted()).toEqual(['Max-Cut', 'Twice']);
  });

  test('no report of the content security policy, and no request to another origin', () => {
    expect(firefox.errors.filter((text) => /Content.Security.Policy/i.test(text))).toEqual([]);
    const others = firefox.requests.filter((url) => url.startsWith('http') && !url.startsWith(origin));
    expect(others).toEqual([]);
  });
});
