import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { markOrphan, putOrphan, removeOrphans, claimBlob } from './orphan-blobs.ts';

describe.each(databases())('blobs that nothing refers to, on $name', ({ open }) => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await createTestPlatform(open);
  });
  afterAll(() => platform.close());

  const isStored = (blob: string): Promise<boolean> =>
    platform.blobs.get(blob).then(
      ({ stream }) => Boolean(stream.destroy()),
      () => false,
    );
  const notes = async (): Promise<string[]> =>
    (await platform.database.read.selectFrom('orphan_blobs').select('blob').execute()).map(({ blob }) => blob);

  test('what is noted goes with its note, what is in use stays', async () => {
    const { database, blobs } = platform;
    const [used, unused] = [await putOrphan(platform, 'used'), await putOrphan(platform, 'unused')];
    await database.write((transaction) => claimBlob(transaction, used));
    await removeOrphans(database, blobs, [used, unused]);
    expect([await isStored(used), await isStored(unused), await notes()]).toEqual([true, false, []]);
  });

  test('a removal waits for a transaction that claims a blob, and for one that fails', async () => {
    const { database, blobs } = platform;
    for (const isUsed of [true, false]) {
      const blob = await putOrphan(platform, 'on its way');
      const taken = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const transaction = database.write(async (queries) => {
        await claimBlob(queries, blob);
        taken.resolve();
        await goOn.promise;
        if (!isUsed) throw new Error('refused');
      });
      await taken.promise;
      const removed = removeOrphans(database, blobs, [blob]);
      goOn.resolve();
      await transaction.catch(() => undefined);
      await removed;
      expect([await isStored(blob), await notes()]).toEqual([isUsed, []]);
    }
  });

  test('hundreds are removed in one call', async () => {
    const { database, blobs } = platform;
    const many = await Promise.all(Array.from({ length: 250 }, (_, number) => blobs.put(String(number))));
    await database.write(async (transaction) => {
      for (const blob of many) await markOrphan(transaction, blob, platform.now());
    });
    await removeOrphans(database, blobs, many);
    expect(await notes()).toEqual([]);
    expect(await Promise.all(many.map(isStored))).toEqual(many.map(() => false));
  });
});
