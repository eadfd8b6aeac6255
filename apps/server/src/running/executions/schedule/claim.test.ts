import type { RuntimeConfiguration } from '@kethub/contract';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertMany, type ExecutionRow } from '../../../foundation/storage/index.ts';
import { addBareVersion, pendingExecution } from '../../../testing/bare-executions.ts';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../../testing/platform.ts';
import { move } from '../queries.ts';
import {
  CLAIMING,
  lockClaims,
  machineOf,
  needsOfRow,
  promisesOf,
  unlessClaiming,
} from '../../../foundation/workers/index.ts';
import { Claims, type Offer } from './claim.ts';
import { claimOldest, endingByOwner, queuesByTurn, queuesWait, runningByOwner } from './queries.ts';

const GB = 2 ** 30;
const capacity = { cpus: 8, memoryBytes: 64 * GB, gpus: {} };

describe.each(databases())('claims on $name', (kind) => {
  let platform: TestPlatform;
  let claims: Claims;
  beforeAll(async () => {
    // No two moments are the same.
    let moment = Date.now();
    platform = await createTestPlatform(kind.open, { now: () => ++moment });
  });
  afterAll(() => platform.close());
  beforeEach(async () => {
    claims = new Claims(platform);
    await platform.database.write(async (transaction) => {
      for (const table of [
        'executions',
        'queues',
        'service_limits',
        'service_versions',
        'services',
        'workers',
      ] as const)
        await transaction.deleteFrom(table).execute();
    });
  });

  const version = (id: string, configuration: Partial<RuntimeConfiguration> = {}): Promise<void> =>
    addBareVersion(platform, id, configuration);
  const pending = (ownerId: string, versionId: string): ExecutionRow => pendingExecution(platform, ownerId, versionId);
  const limitAtOnce = async (versionId: string, executions_at_once: number): Promise<void> => {
    const unlimited = { requests_per_minute: null, executions_per_day: null, executions_per_month: null };
    const row = { service_id: `service of ${versionId}`, ...unlimited, executions_at_once };
    await platform.database.write((transaction) => transaction.insertInto('service_limits').values(row).execute());
  };
  const queue = async (ownerId: string, versionId: string, count = 1): Promise<string[]> => {
    const rows = Array.from({ length: count }, () => pending(ownerId, versionId));
    const columns = Object.keys(pending('', '')) as (keyof ExecutionRow)[];
    await platform.database.write((transaction) => insertMany(transaction, 'executions', columns, rows));
    return rows.map(({ id }) => id);
  };
  const offer = (slots: number, changed: Partial<Offer> = {}): Offer => ({
    workerId: 'worker',
    capacity,
    containers: true,
    promised: new Map(),
    slots,
    ...changed,
  });
  /** Holds the lock of claims, as a worker that claims, until `release`. */
  const holdingTheLock = () => {
    const locked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const done = platform.database.write(async (transaction) => {
      await lockClaims(transaction);
      locked.resolve();
      await released.promise;
    });
    return { locked: locked.promise, release: released.resolve, done };
  };
  /** Claims for a worker that knows the resources it has given away, unless `changed` says otherwise. */
  const owners = async (slots: number, changed: Partial<Offer> = {}) => {
    const rows = await promisesOf(platform.database.read, changed.workerId ?? 'worker', false);
    const promised = new Map(rows.map((row) => [row.id, needsOfRow(row)]));
    return (await claims.claim(offer(slots, { promised, ...changed }))).map((row) => row.owner_id);
  };
  const numbersTo = (count: number) =>
    kind.name === 'SQLite'
      ? sql`json_each(${JSON.stringify([...Array(count).keys()])})`
      : sql`generate_series(0, ${count - 1}::int) as value`;
  const end = (ids: readonly string[]) =>
    platform.database.write(async (transaction) => {
      for (const id of ids) await move(transaction, id, 'SUCCEEDED', { ended_at: platform.now(), log: '' });
    });

  test('10,000 of one owner delay the first of another by no more than what runs', async () => {
    await version('v');
    await queue('many', 'v', 10_000);
    const running = await claims.claim(offer(2));
    expect(running.map(({ owner_id }) => owner_id)).toEqual(['many', 'many']);
    await queue('few', 'v', 3);
    await end([running[0]?.id ?? '']);
    expect(await owners(1)).toEqual(['few']);
    // Two of each from now on: every second place.
    expect(new Set(await owners(2))).toEqual(new Set(['few', 'many']));
  });

  test('owners who are even take turns', async () => {
    await version('v');
    await queue('a', 'v', 3);
    await queue('b', 'v', 3);
    const turns: (string | null)[] = [];
    while (turns.length < 6) {
      const [row] = await claims.claim(offer(1));
      turns.push(row?.owner_id ?? null);
      await end([row?.id ?? '']);
    }
    expect(turns).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  test('the oldest of an owner is first, RUNNING, and knows what it was promised', async () => {
    await version('v', { cpus: 0.5, memoryGb: 2 });
    const ids = await queue('a', 'v', 3);
    const rows = await claims.claim(offer(2));
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 2));
    for (const row of rows)
      expect(row).toMatchObject({ status: 'RUNNING', worker_id: 'worker', cpus: 0.5, memory_bytes: 2 * GB, gpus: 0 });
  });

  test('a worker gets what fits beside what it has promised, and another one the rest', async () => {
    await version('v', { cpus: 3 });
    await queue('a', 'v', 5);
    const first = await claims.claim(offer(8));
    expect(first).toHaveLength(2);
    const promised = new Map(first.map((row) => [row.id, needsOfRow(row)]));
    expect(await owners(8, { promised })).toHaveLength(0);
    // It has not heard of what it claimed: the connection broke, or it was killed.
    expect(await claims.claim(offer(8))).toHaveLength(0);
    // A cancelled execution has processes left that only the worker knows.
    await platform.database.write(async (transaction) => {
      for (const { id } of first) await move(transaction, id, 'CANCELLED', { ended_at: platform.now() });
    });
    expect(await owners(8, { promised })).toHaveLength(0);
    expect(await owners(8, { workerId: 'other' })).toHaveLength(2);
  });

  test('slots of a claim whose answer was lost count as taken', async () => {
    await version('v');
    await queue('a', 'v', 5);
    await claims.claim(offer(2));
    expect(await claims.claim(offer(3))).toHaveLength(1);
  });

  test('what a claim gave without an answer is found, also while the database is still making that claim', async () => {
    await version('v');
    const [first = '', second = ''] = await queue('a', 'v', 2);
    const [known] = await claims.claim(offer(1));
    const claiming = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    const late = platform.database.write(async (transaction) => {
      await lockClaims(transaction);
      claiming.resolve();
      await going.promise;
      await move(transaction, second, 'CLAIMED', { worker_id: 'worker', started_at: platform.now() });
    });
    await claiming.promise;
    const found = claims.unanswered('worker', new Set([first]));
    going.resolve();
    await late;
    expect(known?.id).toBe(first);
    expect((await found).map(({ id }) => id)).toEqual([second]);
    expect(await claims.unanswered('other', new Set())).toEqual([]);
  });

  const {
    id: machine,
    sharesCpus,
    sharesMemory,
  } = machineOf({ cpus: null, memoryBytes: null, gpus: {}, warmBytes: 0 });

  test.skipIf(!sharesCpus || !sharesMemory)(
    'workers of one machine share what it has; those of another machine have their own',
    async () => {
      const beats = { host: 'h', beats: 1, seen_at: 1, lost_at: null, cpus: 8, memory_bytes: 1, gpus: '{}' };
      await platform.database.write((transaction) =>
        transaction
          .insertInto('workers')
          .values([
            { id: 'worker', machine, ...beats },
            { id: 'beside', machine, ...beats },
            { id: 'elsewhere', machine: 'another', ...beats },
          ])
          .execute(),
      );
      await version('v', { cpus: 3 });
      await queue('a', 'v', 9);
      expect(await owners(8, { workerId: 'beside' })).toHaveLength(2);
      expect(await owners(8)).toHaveLength(0);
      expect(await owners(8, { workerId: 'elsewhere' })).toHaveLength(2);
      const own = await createTestPlatform(kind.open, {
        settings: { KETHUB_WORKER_CPUS: '8', KETHUB_WORKER_MEMORY_MB: '4096' },
      });
      // Resources set by an operator are for this worker alone.
      const divided = new Claims({ ...platform, configuration: own.configuration });
      expect(await divided.claim(offer(8))).toHaveLength(2);
      await own.close();
    },
  );

  test('an owner of many versions hides nobody', async () => {
    await version('v');
    const versions = Array.from({ length: 600 }, (_, number) => `v${number}`);
    const copies = sql`insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob,
      source_bytes, source_digest, build_id, created_at, published_at, revision)
      select 'v' || value, service_id, value, state, visibility, configuration, source_blob, source_bytes, source_digest,
      build_id, created_at, published_at, revision from service_versions, ${numbersTo(600)}`;
    await platform.database.write((transaction) => copies.execute(transaction));
    const rows = versions.map((one) => pending('many', one));
    const columns = Object.keys(pending('', '')) as (keyof ExecutionRow)[];
    await platform.database.write((transaction) => insertMany(transaction, 'executions', columns, rows));
    expect(await owners(1)).toEqual(['many']);
    await queue('few', 'v');
    expect(await owners(1)).toEqual(['few']);
  });

  test('what waits at a limit hides nobody, however many wait there', async () => {
    for (const id of ['v', 'w', 'large']) await version(id, id === 'large' ? { cpus: 1_000 } : {});
    const none = { requests_per_minute: null, executions_per_day: null, executions_per_month: null };
    const limit = { service_id: 'service of v', ...none, executions_at_once: 1 };
    await platform.database.write((transaction) => transaction.insertInto('service_limits').values(limit).execute());
    const columns = Object.keys(pending('', '')) as (keyof ExecutionRow)[];
    const rows = Array.from({ length: 1_100 }, (_, number) => pending(`owner ${number}`, number < 600 ? 'v' : 'large'));
    await platform.database.write((transaction) => insertMany(transaction, 'executions', columns, rows));
    expect(await owners(8)).toEqual(['owner 0']);
    await queue('last', 'w');
    expect(await owners(8)).toEqual(['last']);
  });

  test('what is cancelled counts until its processes are gone', async () => {
    await version('v');
    await limitAtOnce('v', 1);
    await queue('a', 'v', 2);
    const [first] = await claims.claim(offer(8));
    const id = first?.id ?? '';
    await platform.database.write((transaction) => move(transaction, id, 'CANCELLED', { ended_at: platform.now() }));
    expect(await owners(8, { workerId: 'other' })).toEqual([]);
    await platform.database.write((transaction) =>
      transaction.updateTable('executions').set({ log: '' }).where('id', '=', id).execute(),
    );
    expect(await owners(8, { workerId: 'other' })).toEqual(['a']);
  });

  test('a worker without a container engine passes over what needs one', async () => {
    for (const id of ['v', 'w']) await version(id);
    await platform.database.write((transaction) =>
      transaction.updateTable('service_versions').set({ runtime: 'DOCKER' }).where('id', '=', 'v').execute(),
    );
    await queue('a', 'v', 2);
    await queue('b', 'w', 1);
    expect(await owners(8, { containers: false })).toEqual(['b']);
    expect(await owners(8)).toEqual(['a', 'a']);
  });

  test('workers that claim at the same time keep a limit of the service together, and nothing is claimed twice', async () => {
    await version('v');
    await version('w');
    await platform.database.write((transaction) =>
      transaction
        .insertInto('service_limits')
        .values({
          service_id: 'service of v',
          requests_per_minute: null,
          executions_per_day: null,
          executions_per_month: null,
          executions_at_once: 3,
        })
        .execute(),
    );
    for (const owner of ['a', 'b', 'c', 'd']) {
      await queue(owner, 'v', 5);
      await queue(owner, 'w', 5);
    }
    const rounds = Array.from({ length: 8 }, (_, worker) =>
      new Claims(platform).claim(offer(4, { workerId: `worker ${worker}` })),
    );
    const claimed = (await Promise.all(rounds)).flat();
    expect(claimed.filter((row) => row.service_version_id === 'v')).toHaveLength(3);
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
    expect(claimed.length).toBeGreaterThan(20);
  });

  test.runIf(kind.name === 'PostgreSQL')(
    'while another worker claims, one of many that follows a hint leaves it to others; one with a free slot comes back',
    async () => {
      const due = async (): Promise<number | null | undefined> => {
        const { read } = platform.database;
        const query = read.selectNoFrom(unlessClaiming(platform.database, queuesWait).as('due'));
        return (await query.executeTakeFirst())?.due;
      };
      await version('v');
      expect(await due()).toBeNull();
      await queue('a', 'v');
      expect(await due()).toBe(0);
      platform.pace.workers = 101;
      const { locked, release, done } = holdingTheLock();
      await locked;
      expect(await due()).toBe(CLAIMING);
      expect(await claims.claim(offer(1), true)).toEqual([]);
      const insisting = claims.claim(offer(1));
      platform.pace.workers = 1;
      const following = claims.claim(offer(1), true);
      release();
      await done;
      expect([...(await insisting), ...(await following)]).toHaveLength(1);
      expect(await due()).toBeNull();
    },
  );

  test('executions that are accepted while queues are emptied are never without one', async () => {
    await version('v');
    const added: string[] = [];
    const claimed: string[] = [];
    const add = async (): Promise<void> => {
      for (let round = 0; round < 30; round++) added.push(...(await queue(`owner ${round % 3}`, 'v')));
    };
    const take = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const ids = (await claims.claim(offer(8))).map(({ id }) => id);
        claimed.push(...ids);
        await end(ids);
      }
    };
    await Promise.all([add(), add(), take(60), take(60)]);
    await take(10);
    expect(claimed.toSorted()).toEqual(added.toSorted());
    // The next look takes the empty ones away.
    await claims.claim(offer(1));
    expect(await platform.database.read.selectFrom('queues').selectAll().execute()).toEqual([]);
  });

  test('a workflow that runs takes no slot: what it calls is started', async () => {
    await version('v');
    const instance = { ...pending('a', 'v'), status: 'RUNNING' as const, started_at: platform.now() };
    await platform.database.write((transaction) => transaction.insertInto('executions').values(instance).execute());
    await limitAtOnce('v', 1);
    await queue('a', 'v', 2);
    expect(await owners(8)).toEqual(['a']);
  });

  test('one that is given back waits again, before what came later', async () => {
    await version('v');
    const [first = ''] = await queue('a', 'v');
    await claims.claim(offer(1));
    await claims.claim(offer(1));
    await queue('a', 'v');
    await platform.database.write((transaction) =>
      move(transaction, first, 'NOT_STARTED', { started_at: null, worker_id: null }),
    );
    expect((await claims.claim(offer(1))).map(({ id }) => id)).toEqual([first]);
  });

  test('executions of a version that is gone are claimed, and fail with the reason; their queue ends with the last', async () => {
    await queue('a', 'gone');
    expect(await owners(8)).toEqual(['a']);
    expect(await platform.database.read.selectFrom('queues').selectAll().execute()).toEqual([]);
  });

  test('a claim looks into indexes, however long a queue is', async () => {
    await version('v');
    await queue('a', 'v', 5_000);
    const { read } = platform.database;
    if (kind.name === 'PostgreSQL') await sql`analyze executions`.execute(read);
    const given = { cpus: 1, memoryBytes: 1, gpus: 0, gpuType: null };
    const claim = { workerId: 'w', now: 1, given, limit: 1 };
    const queries = [
      queuesByTurn(read, { limit: 10, containers: true }),
      claimOldest(read, { ownerId: 'a', versionId: 'v', runTimeSeconds: 1 }, claim),
      runningByOwner(read),
      endingByOwner(read, 1),
    ];
    const [heads = '', oldest = '', running = '', ending = ''] = await Promise.all(
      queries.map(async (query) => {
        const { sql: text, parameters } = query.compile();
        const how = kind.name === 'SQLite' ? 'explain query plan' : 'explain';
        return JSON.stringify((await read.executeQuery(CompiledQuery.raw(`${how} ${text}`, [...parameters]))).rows);
      }),
    );
    for (const plan of [heads, oldest]) {
      expect(plan).toContain('executions_pending');
      expect(plan).not.toMatch(/SCAN executions(?! USING)|Seq Scan on executions/);
    }
    expect(running).toContain('executions_running');
    expect(ending).toContain('executions_ending');
    // The order is that of the index: nothing of a queue is sorted.
    expect(oldest).not.toMatch(/TEMP B-TREE|Sort/);
  });

  // In a table of millions of rows statistics are days old, and most were made while nothing waited.
  test.runIf(kind.name === 'PostgreSQL')(
    'a claim reads nothing else that waits, also when nothing waited as statistics were made',
    async () => {
      await version('v');
      const { read } = platform.database;
      await sql`insert into executions (id, owner_type, owner_id, service_version_id, status, created_at, ended_at)
        select 'ended ' || n, 'USER', 'b', 'v', 'SUCCEEDED', 1, 2 from generate_series(1, 20000) as n`.execute(read);
      await sql`vacuum analyze executions`.execute(read);
      await queue('a', 'v', 2_000);
      const given = { cpus: 1, memoryBytes: 1, gpus: 0, gpuType: null };
      const claim = { workerId: 'w', now: 1, given, limit: 1 };
      const { sql: text, parameters } = claimOldest(
        read,
        { ownerId: 'a', versionId: 'v', runTimeSeconds: 1 },
        claim,
      ).compile();
      const explain = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters]);
      const plan = JSON.stringify((await read.executeQuery(explain)).rows);
      const rows = [...plan.matchAll(/"Actual Rows":(\d+)/g)].map(([, count]) => Number(count));
      expect(rows.length).toBeGreaterThan(1);
      expect(Math.max(...rows)).toBe(1);
    },
  );
});
