import { isBuilt, serviceForm } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';
import { zip } from '../../../testing/zip.ts';

const program = (body: string) => zip({ 'src/__init__.py': '', 'src/program.py': body });

describe.each(databases())('builds of several owners on $name', (kind) => {
  let kethub: TestKethub;
  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_OWNER_BUILDS: '4' });
  });
  afterAll(() => kethub.close());

  test('programs that sleep when they are imported hold up nobody else, and no more than some of them are taken', async () => {
    const upload = async (name: string) =>
      kethub.client.createService({
        body: serviceForm({
          name,
          source: await program(`import time\n# ${name}\ntime.sleep(50)\ndef run():\n    return 1\n`),
        }),
      });
    const sleeping = [];
    for (const name of ['one', 'two', 'three', 'four']) sleeping.push(await upload(name));
    await expect(upload('five')).rejects.toMatchObject({ status: 429, code: 'too-many-builds' });

    const { client } = await kethub.signIn('bob');
    const service = await client.createService({
      body: serviceForm({ name: 'quick', source: await program('def run():\n    return 1\n') }),
    });
    for await (const one of client.watchBuild({ serviceId: service.id, version: '1.0.0' }))
      if (isBuilt(one)) expect(one.status).toBe('SUCCEEDED');
    const states = await Promise.all(
      sleeping.map(({ id }) => kethub.client.getBuild({ serviceId: id, version: '1.0.0' })),
    );
    expect(states.map((one) => one.status).toSorted()).not.toContain('FAILED');
    expect(states.some((one) => one.status === 'PENDING')).toBe(true);

    // A deleted version returns its build slot, and its sandboxes end.
    for (const { id } of sleeping) await kethub.client.deleteService({ serviceId: id });
    while ((await kethub.kethub.runtime.status()).commands > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await upload('five');
  });
});
