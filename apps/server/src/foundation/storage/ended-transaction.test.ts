import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform } from '../../testing/platform.ts';

const withServer = databases().filter(({ name }) => name === 'PostgreSQL');

describe.each(withServer)('a transaction on $name', ({ open }) => {
  test('that the server ends while the process stands still fails, and takes nothing else along', async () => {
    const { database, close } = await createTestPlatform(open);
    onTestFinished(close);
    const stalled = database.write(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid,
        set_config('idle_in_transaction_session_timeout', '50', true)`.execute(transaction);
      for (let left = 1; left > 0; await pause(20)) {
        const found = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
          where pid = ${rows[0]?.pid}`.execute(database.read);
        left = found.rows[0]?.count ?? 0;
      }
      await sql`select 1`.execute(transaction);
    });
    await expect(stalled).rejects.toThrow();
    await database.write((transaction) => sql`select 1`.execute(transaction));
  });
});
