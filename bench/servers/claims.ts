import { sql } from 'kysely';
import { move } from '@kethub/server/running/executions';
import { Claims } from '@kethub/server/running/executions/schedule';
import { insertMany, type ExecutionRow } from '@kethub/server/foundation/storage';
import { addBareVersion, pendingExecution } from '@kethub/server/testing/bare-executions';
import { postgreSql, sqlite, type TestDatabaseKind } from '@kethub/server/testing/databases';
import { createTestPlatform } from '@kethub/server/testing/platform';

export interface ClaimsQuestion {
  readonly database: TestDatabaseKind['name'];
  /** Number of waiting executions in each of the two databases. */
  readonly few: number;
  readonly many: number;
  readonly rounds: number;
}

/** Milliseconds of each claim. */
export interface ClaimsAnswer {
  readonly few: readonly number[];
  readonly many: readonly number[];
}

const OWNERS = 50;
const RUNNING = 8;
const AT_ONCE = 1_000;

// Claims one execution after the other, in turns where few and where many wait, and reports how long each took.
const { database, few, many, rounds } = JSON.parse(process.argv[2] ?? '') as ClaimsQuestion;
const kind = [sqlite, ...postgreSql].find(({ name }) => name === database);
if (!kind) throw new Error(`No ${database}: KETHUB_TEST_POSTGRES_URL is not set`);
const queues = { few: await waitingOf(kind, few), many: await waitingOf(kind, many) };
const answer = { few: [] as number[], many: [] as number[] };
for (let round = 0; round < rounds; round++)
  for (const which of ['few', 'many'] as const) answer[which].push(await queues[which].claim());
process.stdout.write(`${JSON.stringify(answer satisfies ClaimsAnswer)}\n`);
for (const { platform } of Object.values(queues)) await platform.close();

async function waitingOf(of: TestDatabaseKind, count: number) {
  const platform = await createTestPlatform(of.open, {
    settings: { KETHUB_WORKER_CPUS: '64', KETHUB_WORKER_MEMORY_MB: '262144' },
  });
  await addBareVersion(platform, 'version');
  let owner = 0;
  const add = async (rows: number): Promise<void> => {
    const added = Array.from({ length: rows }, () =>
      pendingExecution(platform, `owner ${owner++ % OWNERS}`, 'version'),
    );
    await platform.database.write((transaction) =>
      insertMany(
        transaction,
        'executions',
        Object.keys(pendingExecution(platform, '', 'version')) as (keyof ExecutionRow)[],
        added,
      ),
    );
  };
  for (let left = count + RUNNING; left > 0; left -= AT_ONCE) await add(Math.min(AT_ONCE, left));
  if (of.name === 'PostgreSQL') await sql`vacuum analyze`.execute(platform.database.read);
  const claims = new Claims(platform);
  const capacity = { cpus: 64, memoryBytes: 256 * 2 ** 30, gpus: {} };
  const running: string[] = [];
  const take = async (slots: number): Promise<void> => {
    const offer = {
      workerId: 'worker',
      capacity,
      containers: true,
      promised: new Map(),
      slots: running.length + slots,
    };
    running.push(...(await claims.claim(offer)).map(({ id }) => id));
  };
  while (running.length < RUNNING) await take(RUNNING - running.length);
  return {
    platform,
    /** One execution ends, another is accepted, and the next is claimed. */
    async claim(): Promise<number> {
      const [id = ''] = running.splice(0, 1);
      await platform.database.write((transaction) =>
        move(transaction, id, 'SUCCEEDED', { ended_at: platform.now(), log: '' }),
      );
      await add(1);
      const began = performance.now();
      await take(1);
      const took = performance.now() - began;
      if (running.length !== RUNNING) throw new Error(`${running.length} run`);
      return took;
    },
  };
}
