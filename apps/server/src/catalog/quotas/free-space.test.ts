import { serviceForm } from '@kethub/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { zip } from '../../testing/zip.ts';

const files = { 'src/__init__.py': '', 'src/program.py': 'def run():\n    return 1\n' };

describe.each([sqlite])('a nearly full disk on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_FREE_DISK_MB: '1' });
  });
  afterAll(() => kethub.close());
  afterEach(() => floor(1));

  /** Sets how many bytes must stay free. */
  function floor(bytes: number): void {
    Object.assign(kethub.platform.configuration, { freeDiskBytes: bytes });
  }

  test('takes no uploads, whatever they are, and says what has to be freed', async () => {
    const pool = await kethub.client.createDataPool({ json: { name: 'Pool' } });
    floor(2 ** 60);
    const refused = { status: 507, code: 'insufficient-storage', message: expect.stringMatching(/free \d+ MiB/) };
    const source = await zip(files);
    await expect(kethub.client.createService({ body: serviceForm({ name: 'After', source }) })).rejects.toMatchObject(
      refused,
    );
    await expect(
      kethub.client.uploadDataPoolFile({ dataPoolId: pool.id, name: 'file', body: new Blob(['x']) }),
    ).rejects.toMatchObject(refused);
    floor(1);
    // To its end: a build asks for free space as well, and the next test counts who asks.
    expect((await build(kethub.client, 'After', files)).build).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('does no builds, and says why', async () => {
    // The first check is that of the upload, which is accepted. Then the disk fills up.
    const asked = [1];
    Object.defineProperty(kethub.platform.configuration, 'freeDiskBytes', {
      configurable: true,
      get: () => asked.pop() ?? 2 ** 60,
    });
    const { build: ended } = await build(kethub.client, 'Waits', files);
    Object.defineProperty(kethub.platform.configuration, 'freeDiskBytes', { value: 1, writable: true });
    expect(ended).toMatchObject({
      status: 'FAILED',
      problem: { code: 'disk-full', detail: expect.stringMatching(/free \d+ MiB/) },
    });
    expect((await build(kethub.client, 'Waits no more', files)).build).toMatchObject({ status: 'SUCCEEDED' });
  });
});
