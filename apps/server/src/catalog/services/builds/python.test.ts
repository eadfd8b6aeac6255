import { execFileSync } from 'node:child_process';
import { isBuilt } from '@kethub/client';
import { defaultConfiguration, pythonVersions, type Build } from '@kethub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../../../testing/databases.ts';
import { zip } from '../../../testing/zip.ts';
import { build, startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

let kethub: TestKethub;
beforeAll(async () => {
  kethub = await startTestKethub(sqlite);
});
afterAll(() => kethub.close());

const ASK = 'import sys; print("%d.%d" % sys.version_info[:2])';
const usual = pythonVersions.find(
  (one) => one === execFileSync('/usr/bin/python3', ['-c', ASK], { encoding: 'utf8' }).trim(),
);
const program = { 'src/program.py': 'def run():\n    return 1\n' };
const files = { ...program, '.python-version': '3.9\n' };

test.skipIf(usual === undefined)('a Python that is not to be had ends the build; the configuration chooses another, and the source is built anew', async () => {
  const { client } = kethub;
  const chosen = { ...defaultConfiguration, ...(usual !== undefined && { python: usual }) };
  const { service } = await build(client, 'old', files, { configuration: chosen });
  const { configuration } = await client.getServiceVersion({ serviceId: service.id, version: '1.0.0' });
  const { python: _python, ...without } = { ...defaultConfiguration, ...configuration };
  const ends = async (): Promise<Build | null> => {
    let ended: Build | null = null;
    for await (const one of client.watchBuild({ serviceId: service.id, version: '1.0.0' })) if (isBuilt(one)) ended = one;
    return ended;
  };
  await client.configureServiceVersion({ serviceId: service.id, version: '1.0.0', json: without });
  const failed = await ends();
  expect(failed).toMatchObject({ status: 'FAILED', problem: { code: 'python-unavailable' } });
  expect(failed?.problem?.detail).toMatch(/^\.python-version asks for Python 3\.9\. This platform has Python .*3\.1\d/);
  await client.configureServiceVersion({ serviceId: service.id, version: '1.0.0', json: chosen });
  const ended = await ends();
  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(ended?.id).not.toBe(failed?.id);
  await client.configureServiceVersion({ serviceId: service.id, version: '1.0.0', json: { ...chosen, memoryGb: 0.5 } });
  expect((await client.getBuild({ serviceId: service.id, version: '1.0.0' })).id).toBe(ended?.id);
}); // prettier-ignore

test.each([
  ['.python-version', '3.9\n'],
  ['.python-version', 'pypy3.9\n'],
  ['pyproject.toml', '[project]\nrequires-python = ">=3.99"\n'],
])('an upload whose %s asks for a Python that no worker has is refused, and nothing stays', async (file, text) => {
  const { client, kethub: running } = kethub;
  const { database } = running.platform;
  const blobs = () => database.read.selectFrom('orphan_blobs').select('blob').execute();
  const name = `${file} ${text}`.replaceAll(/\W+/g, ' ').trim();
  const before = (await client.listServices()).length;
  await expect(build(client, `asks ${name}`, { ...program, [file]: text })).rejects.toMatchObject({
    status: 400,
    code: 'invalid-archive',
    message: expect.stringMatching(
      /(?:\.python-version|pyproject\.toml) asks for (?:Python [>=]*|pypy)3\.9+\. This platform has Python .*3\.1\d/,
    ) as string,
  });
  expect((await client.listServices()).length).toBe(before);
  expect(await blobs()).toEqual([]);
  const { service } = await build(client, `fits ${name}`, program);
  await expect(
    client.replaceSource({ serviceId: service.id, version: '1.0.0', body: await zip({ ...program, [file]: text }) }),
  ).rejects.toMatchObject({
    status: 400,
  });
});

test('a version that nobody offers is refused with the request', async () => {
  const upload = build(kethub.client, 'older', files, { configuration: { python: '3.9' as '3.10' } });
  await expect(upload).rejects.toMatchObject({ status: 400 });
});
