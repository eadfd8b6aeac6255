import { execFileSync } from 'node:child_process';
import { isBuilt } from '@kethub/client';
import { pythonVersions, type Build } from '@kethub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../../../testing/databases.ts';
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
const files = { 'src/program.py': 'def run():\n    return 1\n', '.python-version': '3.9\n' };

test.skipIf(usual === undefined)('a Python that is not to be had ends the build; the configuration chooses another, and the source is built anew', async () => {
  const { client } = kethub;
  const { service, build: failed } = await build(client, 'old', files);
  expect(failed).toMatchObject({ status: 'FAILED', problem: { code: 'python-unavailable' } });
  expect(failed.problem?.detail).toMatch(/^\.python-version asks for Python 3\.9\. This platform has Python .*3\.1\d/);
  const { configuration } = await client.getServiceVersion({ serviceId: service.id, version: '1.0.0' });
  await client.configureServiceVersion({ serviceId: service.id, version: '1.0.0', json: { ...configuration, ...(usual !== undefined && { python: usual }) } });
  let ended: Build | null = null;
  for await (const one of client.watchBuild({ serviceId: service.id, version: '1.0.0' })) if (isBuilt(one)) ended = one;
  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(ended?.id).not.toBe(failed.id);
  await client.configureServiceVersion({ serviceId: service.id, version: '1.0.0', json: { ...configuration, ...(usual !== undefined && { python: usual }), memoryGb: 0.5 } });
  expect((await client.getBuild({ serviceId: service.id, version: '1.0.0' })).id).toBe(ended?.id);
}); // prettier-ignore

test('a version that nobody offers is refused with the request', async () => {
  const upload = build(kethub.client, 'older', files, { configuration: { python: '3.9' as '3.10' } });
  await expect(upload).rejects.toMatchObject({ status: 400 });
});
