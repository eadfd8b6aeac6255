import { Client } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { capacityOf } from './capacity.ts';
import { ContainerWatch } from './containers.ts';
import { Heartbeat } from './heartbeat.ts';

const OTHERS = 150;
const waiting = { timeout: 30_000, interval: 50 };

describe.each(databases().filter(({ name }) => name === 'PostgreSQL'))('heartbeats on $name', (kind) => {
  test.each([
    ['a worker alone ceases to listen while many others are older', { KETHUB_ROLES: 'worker' }, false],
    ['a worker that also answers callers listens whatever others do', {}, true],
  ])('%s', async (_name, roles, listens) => {
    const opened = await kind.open();
    const { databaseUrl } = opened.address;
    const settings = { ...roles, DATABASE_URL: databaseUrl ?? '' };
    const platform = await createTestPlatform(() => Promise.resolve(opened), { settings });
    onTestFinished(() => platform.close());
    const heartbeat = new Heartbeat(
      platform,
      'm',
      capacityOf(platform.configuration.capacity),
      new ContainerWatch(platform),
    );
    const beat = async (): Promise<void> => {
      await heartbeat.start();
      heartbeat.stop();
    };
    const listeners = async (): Promise<number> => {
      const client = new Client({ connectionString: databaseUrl ?? '' });
      await client.connect();
      const { rows } = await client.query(`select from pg_stat_activity
        where datname = current_database() and application_name = 'kethub listener'`);
      await client.end();
      return rows.length;
    };
    await beat();
    await addWorkers(platform, 'younger', 'n');
    await beat();
    expect(platform.pace).toMatchObject({ workers: 1 + OTHERS, older: 0, listens: true });
    await addWorkers(platform, 'older', 'a');
    await beat();
    expect(platform.pace).toMatchObject({ workers: 1 + 2 * OTHERS, older: OTHERS, listens: false });
    await vi.waitFor(async () => expect(await listeners()).toBe(listens ? 1 : 0), waiting);
    // Lost workers do not count.
    await platform.database.write((transaction) =>
      transaction.updateTable('workers').set({ lost_at: 1 }).where('host', '=', 'older').execute(),
    );
    await beat();
    expect(platform.pace).toMatchObject({ workers: 1 + OTHERS, older: 0, listens: true });
    await vi.waitFor(async () => expect(await listeners()).toBe(1), waiting);
  });
});

/** Workers whose ids begin with a text. */
async function addWorkers({ database }: TestPlatform, host: string, id: string): Promise<void> {
  const row = { host, beats: 1, seen_at: 1, pythons: null, lost_at: null, cpus: null, memory_bytes: null, gpus: null };
  const rows = Array.from({ length: OTHERS }, (_value, number) => ({ ...row, id: `${id}${number}` }));
  await database.write((transaction) => transaction.insertInto('workers').values(rows).execute());
}
