import { setTimeout as pause } from 'node:timers/promises';
import { isEnded } from '@kethub/client';
import type { LayerOnDisk } from '@kethub/runtime/build';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addBareVersion } from '../../../testing/bare-executions.ts';
import { databases, sqlite } from '../../../testing/databases.ts';
import { deploy, startTestKethub, type TestKethub } from '../../../testing/kethub.ts';
import { createTestPlatform } from '../../../testing/platform.ts';
import { LayerKeeper, LAYERS_WANTED } from './keeper.ts';

const project = {
  'src/__init__.py': '',
  'src/program.py': 'import idna\ndef run():\n    return idna.__version__\n',
  'requirements.txt': 'idna==3.10\n',
};

describe.each(databases())('layers of installed packages on $name', (kind) => {
  let kethub: TestKethub;
  let administrator: Awaited<ReturnType<TestKethub['signIn']>>;
  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_ADMINISTRATORS: 'root' });
    administrator = await kethub.signIn('root');
  });
  afterAll(() => kethub.close());

  test('are listed, purged and rebuilt by administrators only, and a version goes on with what it was built with', async () => {
    const { client } = administrator;
    const { service } = await deploy(kethub.client, 'Packages', project);
    const { database } = kethub.platform;
    const codeOf = async () =>
      (await database.read.selectFrom('service_versions').select('code').executeTakeFirstOrThrow()).code;
    const before = await codeOf();
    expect(before).toMatch(/"resolved":\{.*"idna==3\.10 --hash=sha256:[0-9a-f]{64}"/);
    const run = async (): Promise<string> => {
      const { id } = await kethub.client.startJobOfVersion({ serviceId: service.id, version: '1.0.0', json: {} });
      for await (const one of kethub.client.executions.watch(id)) if (isEnded(one)) return one.status;
      return '';
    };
    database.notify(LAYERS_WANTED, '');
    while ((await client.listLayers()).length === 0) await pause(50);
    const [layer] = await client.listLayers();
    expect(layer).toMatchObject({
      python: expect.any(String),
      versions: 1,
      packages: [expect.stringContaining('idna==3.10')],
    });
    const id = layer?.id ?? '';
    for (const call of [
      () => kethub.client.listLayers(),
      () => kethub.client.purgeLayer({ layerId: id }),
      () => kethub.client.rebuildLayer({ layerId: id }),
    ])
      await expect(call()).rejects.toMatchObject({ status: 403, code: 'not-administrator' });
    await expect(client.purgeLayer({ layerId: '0'.repeat(40) })).rejects.toMatchObject({ status: 404 });

    expect(await client.rebuildLayer({ layerId: id })).toMatchObject([{ id, wanted: 'REBUILD' }]);
    while ((await client.listLayers())[0]?.wanted !== undefined) await pause(50);
    expect(await client.listLayers()).toMatchObject([{ id, versions: 1 }]);
    expect((await client.listLayers())[0]).not.toHaveProperty('problem');

    await client.purgeLayer({ layerId: id });
    while ((await client.listLayers()).length > 0) await pause(50);
    const entries = await database.read.selectFrom('audit_entries').select('action').execute();
    expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['layer:purge', 'layer:rebuild']));
    // The layer is installed again, with the same hashes, when an execution needs it.
    expect(await run()).toBe('SUCCEEDED');
    expect(await codeOf()).toBe(before);
  });
});

test('what no version needs is removed beyond the bound, the longest unused first; what was just taken stays', async () => {
  const platform = await createTestPlatform(sqlite.open, { settings: { KETHUB_LAYERS_MB: '100' } });
  try {
    const old = Date.now() - 3_600_000;
    const layer = (name: string, touchedAt: number): LayerOnDisk => ({
      layer: `layers/${name}`, python: '3.11', platform: '', packages: [], bytes: 60 * 2 ** 20, touchedAt,
    }); // prettier-ignore
    const disk = [layer('needed', old), layer('unused', old + 1), layer('older', old), layer('taken', Date.now())];
    const purged: string[] = [];
    const store = {
      list: () => Promise.resolve(disk),
      purge: (name: string) => Promise.resolve(void purged.push(name)),
      rebuild: () => Promise.resolve(null),
      removePurged: () => Promise.resolve(),
    };
    await addBareVersion(platform, 'v');
    await platform.database.write((transaction) =>
      transaction.updateTable('service_versions').set({ layer: 'layers/needed' }).execute(),
    );
    await new LayerKeeper({ ...platform, workerId: 'w' }, store, { renewRoot: () => Promise.resolve() }).look();
    expect(purged).toEqual(['layers/older', 'layers/unused']);
  } finally {
    await platform.close();
  }
});
