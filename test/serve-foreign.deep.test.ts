import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { call, localServers, resultOf } from './ket/served.ts';

// Packages come from PyPI. The same projects are deployed and run on a platform in corpus.deep.test.ts.
vi.setConfig({ testTimeout: 300_000 });

const { project, serve } = localServers();

/** A project of the corpus in a folder of its own, which has one case. */
function copyOf(name: string, manifest: string): string {
  const folder = project({ 'test/default/options.json': '{"status": "SUCCEEDED"}' });
  cpSync(path.join(import.meta.dirname, 'corpus', name), folder, { recursive: true });
  if (manifest !== 'planqk.json') renameSync(path.join(folder, 'planqk.json'), path.join(folder, manifest));
  return folder;
}

describe.each(['planqk.json', 'qhub.json'])('with a %s', (manifest) => {
  test.each([
    ['coin-toss', { data: { tosses: 1 }, params: { shots: 4 } }, { shots: 4 }, 'serviceId is left out'],
    ['older-template', { data: { values: [4, 5] }, params: {} }, { result: { sum: 9 } }, 'python>=3.6,<3.10'],
  ])('%s is served and tested unchanged, and imported', async (name, input, result, leftOut) => {
    const folder = copyOf(name, manifest);
    const { url, child } = await serve(folder);
    expect(await resultOf(url, (await call(url, input)).id)).toMatchObject(result);
    child.kill('SIGINT');
    const tested = () => ket(['test', folder], { folder });
    expect(await tested()).toMatchObject({ code: 0, stderr: expect.stringMatching(/ok +default/) });
    expect(existsSync(path.join(folder, 'kethub.json'))).toBe(false);
    const requirements = readFileSync(path.join(folder, 'requirements.txt'), 'utf8');
    const imported = await ket(['import', folder], { folder });
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining(leftOut)]);
    expect(readFileSync(path.join(folder, 'requirements.txt'), 'utf8')).toBe(requirements);
    expect(await tested()).toMatchObject({ code: 0, stderr: expect.stringMatching(/ok +default/) });
  });
});
