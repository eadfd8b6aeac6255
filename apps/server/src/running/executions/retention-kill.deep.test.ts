import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createIds } from '../../foundation/http/index.ts';
import { insertMany, sweepOrphans, type ExecutionRow } from '../../foundation/storage/index.ts';
import { addBareVersion, pendingExecution } from '../../testing/bare-executions.ts';
import { KethubProcess } from '../../testing/child-process.ts';
import { postgreSql } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';

// Each kill is followed by a start of the platform, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const DAY_MS = 86_400_000;
/** Executions of each age: more than six transactions of 50. */
const MANY = 320;
const KILLS = 4;

describe.each(postgreSql)('kill -9 of the api that deletes by age, on $name', ({ open }) => {
  let platform: TestPlatform;
  let api: KethubProcess;
  beforeEach(async () => {
    platform = await createTestPlatform(open);
    await addBareVersion(platform, 'version');
  });
  afterEach(async () => {
    await api.end();
    await platform.close();
  });

  /** Adds executions that ended so many days ago, each with a result, a log and a file. */
  const add = async (count: number, daysAgo: number): Promise<string[]> => {
    const at = Date.now() - daysAgo * DAY_MS;
    const newId = createIds(() => at);
    const rows: ExecutionRow[] = [];
    const files: object[] = [];
    for (let number = 0; number < count; number++) {
      const [result_blob, log_blob, blob] = await Promise.all([1, 2, 3].map(() => platform.blobs.put('text')));
      const ended = { status: 'SUCCEEDED', started_at: at, ended_at: at, worker_id: 'w' } as const;
      const row = { ...pendingExecution(platform, 'owner', 'version'), id: newId(), created_at: at, ...ended };
      const sizes = { result_bytes: 4, log_bytes: 4, file_bytes: 4 };
      rows.push({ ...row, ...sizes, result_blob: result_blob ?? null, log_blob: log_blob ?? null });
      files.push({ execution_id: row.id, name: 'a', blob, bytes: 4 });
    }
    await platform.database.write(async (transaction) => {
      await insertMany(transaction, 'executions', Object.keys(rows[0] ?? {}) as (keyof ExecutionRow)[], rows);
      await insertMany(transaction, 'execution_files', ['execution_id', 'name', 'blob', 'bytes'], files);
    });
    return rows.map(({ id }) => id);
  };
  const rowsOf = () =>
    platform.database.read.selectFrom('executions').select(['id', 'expired_at', 'result_blob', 'log_blob']).execute();
  /** Executions that are still to be deleted, and contents that are. */
  const left = async (old: ReadonlySet<string>, expired: ReadonlySet<string>): Promise<number> => {
    const rows = await rowsOf();
    const contents = rows.filter(({ id, expired_at }) => (old.has(id) || expired.has(id)) && expired_at === null);
    return rows.filter(({ id }) => old.has(id)).length + contents.length;
  };

  test('nothing is lost that stays, what goes goes whole, and the next start goes on', async () => {
    const [old, expired] = [new Set<string>(), new Set<string>()];
    const addWork = async (count: number): Promise<void> => {
      for (const id of await add(count, 90)) old.add(id);
      for (const id of await add(count, 40)) expired.add(id);
    };
    const kept = new Set(await add(60, 10));
    const { port, configuration, testDatabase } = platform;
    const settings = {
      DATABASE_URL: testDatabase.address.databaseUrl ?? '',
      KETHUB_ROLES: 'api',
      KETHUB_PORT: String(port),
      KETHUB_DATA_DIR: configuration.dataDir,
      KETHUB_BLOBS: `${configuration.dataDir}/blobs`,
      KETHUB_INSTANCE_KEY: configuration.instanceKey ?? '',
      KETHUB_GATEWAY_URL: platform.addresses.gateway,
      KETHUB_PUBLIC_URL: `http://127.0.0.1:${port}`,
      KETHUB_DASHBOARD: 'off',
      KETHUB_DEMO: 'off',
      KETHUB_RESULT_KEEP_DAYS: '30',
      KETHUB_EXECUTION_KEEP_DAYS: '60',
    };
    // A kill counts when it came in the middle: some were gone, and some were left. After one that came too late there is
    // more work.
    for (let [kills, many] = [0, MANY / 2]; kills < KILLS;) {
      if ((await left(old, expired)) === 0) await addWork((many *= 2));
      const before = await left(old, expired);
      api = new KethubProcess(settings, port);
      while ((await left(old, expired)) === before) await pause(1);
      await api.end('SIGKILL');
      const after = await left(old, expired);
      expect(after).toBeLessThan(before);
      if (after > 0) kills++;
      await requireWhole();
    }

    api = new KethubProcess(settings, port);
    while ((await left(old, expired)) > 0) await pause(20);
    await api.end();
    const rows = await rowsOf();
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([...expired, ...kept]));
    expect(new Set(rows.filter((row) => row.expired_at === null).map(({ id }) => id))).toEqual(kept);
    // The sweep removes leftovers of the kills from the store, and nothing else.
    await sweepOrphans(platform.database, platform.blobs, Date.now() + DAY_MS);
    await requireWhole();
    const files = await platform.database.read.selectFrom('execution_files').select('blob').execute();
    expect(files).toHaveLength(kept.size);
    expect(await stored()).toBe(3 * kept.size + 1);
  });

  /** Every result, log and file that a row names is in the store. */
  const requireWhole = async (): Promise<void> => {
    const files = await platform.database.read.selectFrom('execution_files').select('blob').execute();
    const named = (await rowsOf()).flatMap(({ result_blob, log_blob }) => [result_blob, log_blob]);
    for (const key of [...files.map(({ blob }) => blob), ...named]) {
      if (key === null) continue;
      (await platform.blobs.get(key)).stream.destroy();
    }
  };
  /** Counts the blobs in the store. */
  const stored = async (): Promise<number> => {
    let count = 0;
    for await (const _key of platform.blobs.keys()) count++;
    return count;
  };
});
