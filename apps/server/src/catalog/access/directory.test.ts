import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execute, writeAccessRows } from '../../testing/access-rows.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { AccessChangeLog } from './change-log.ts';
import { AccessDirectory } from './directory.ts';

/** Every statement after which an application may call something else than before. */
const changes: readonly string[] = [
  `insert into access_keys (id, application_id, access_key_id, secret_digest, sealed_secret, secret_hint, created_at)
    values ('k2', 'a', 'ak2', 'd', 's', 'h', 1)`,
  `update access_keys set expires_at = 1 where id = 'k'`,
  `delete from access_keys where id = 'k'`,
  `update applications set owner_id = 'other' where id = 'a'`,
  `delete from applications where id = 'a'`,
  `insert into subscriptions (id, application_id, service_id, service_version_id, created_at) values ('p2', 'a', 's', 'v2', 1)`,
  `delete from subscriptions where id = 'p'`,
  `update services set owner_id = 'other' where id = 's'`,
  `delete from services where id = 's'`,
  `update service_versions set state = 'RETIRED' where id = 'v'`,
  `delete from service_versions where id = 'v'`,
  `insert into former_addresses (owner_id, slug, service_id) values ('u', 'old', 's')`,
];

describe.each(databases())('the access directory on $name', ({ open }) => {
  let platform: TestPlatform;
  let now = 1_000_000;
  beforeAll(async () => {
    platform = await createTestPlatform(open, { now: () => now });
  });
  afterAll(() => platform.close());
  beforeEach(() => writeAccessRows(platform));
  const run = (statement: string) => execute(platform, statement);

  /** A directory that receives no notifications. */
  const deaf = (): AccessDirectory =>
    new AccessDirectory({ ...platform, database: { ...platform.database, listen: () => () => undefined } });

  test.each(changes)('%s: is in the log of changes', async (statement) => {
    const log = new AccessChangeLog(platform.database);
    expect(await log.read()).toEqual([]);
    await run(statement);
    expect(new Set(await log.read())).toEqual(new Set(['a']));
    expect(await log.read()).toEqual([]);
  });

  test('who is blocked calls nothing until unblocked, within a second also without notifications', async () => {
    await run(`insert into applications (id, owner_type, owner_id, name, created_at, revision)
      values ('o', 'ORGANIZATION', 'u', 'O', 1, 1)`);
    const log = new AccessChangeLog(platform.database);
    await log.read();
    const directory = deaf();
    const known = async () => {
      now += 900;
      const of = await Promise.all(['a', 'b', 'o'].map(async (id) => (await directory.application(id)) !== null));
      return [...of, (await directory.accessKey('ak')) !== null];
    };
    expect(await known()).toEqual([true, true, true, true]);
    await run(`insert into blocked_users (user_id, blocked_at) values ('u', 1)`);
    expect(await known()).toEqual([false, false, true, false]);
    expect(new Set(await log.read())).toEqual(new Set(['a', 'b']));
    await run(`delete from blocked_users where user_id = 'u'`);
    expect(await known()).toEqual([true, true, true, true]);
    expect(new Set(await log.read())).toEqual(new Set(['a', 'b']));
    directory.close();
  });

  test('a change that commits after later ones is not missed', async () => {
    const log = new AccessChangeLog(platform.database);
    await log.read();
    await platform.database.write(async (transaction) => {
      await sql`update applications set name = 'slow' where id = 'a'`.execute(transaction);
      // Another connection commits a change with a higher number meanwhile; SQLite has one writer and no meanwhile.
      if (platform.database.dialect === 'postgres') {
        await sql`update applications set name = 'fast' where id = 'b'`.execute(platform.database.read);
        expect(await log.read()).toEqual(['b']);
      }
    });
    expect(await log.read()).toEqual(['a']);
  });

  test('without any notification: cached for a while, and after 900 ms as it is now', async () => {
    const directory = deaf();
    expect((await directory.application('a'))?.accessKeys.has('ak')).toBe(true);
    expect((await directory.accessKey('ak'))?.applicationId).toBe('a');
    await run(`delete from access_keys where id = 'k'`);
    now += 900;
    expect((await directory.application('a'))?.accessKeys.has('ak')).toBe(false);
    expect(await directory.accessKey('ak')).toBeNull();
    directory.close();
  });

  test('what has not changed is not read again, however old it is', async () => {
    let statements = 0;
    const { read } = platform.database;
    const counted = read.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const directory = new AccessDirectory({ ...platform, database: { ...platform.database, read: counted } });
    await directory.application('a');
    const loaded = statements;
    for (let second = 0; second < 5; second++) {
      now += 1_000;
      await directory.application('a');
    }
    // One poll each, and those of the timer.
    expect(statements - loaded).toBeLessThan(5 + 5 * loaded);
    expect(loaded).toBeGreaterThan(4);
    directory.close();
  });

  test('a look at the changes that takes long does not count for who asks at its end', async () => {
    const answered = Promise.withResolvers<void>();
    let slow = Promise.resolve();
    const slowly = platform.database.read.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => slow.then(() => result),
    });
    const directory = new AccessDirectory({
      ...platform,
      database: { ...platform.database, read: slowly, listen: () => () => undefined },
    });
    expect((await directory.accessKey('ak'))?.applicationId).toBe('a');
    now += 900;
    slow = answered.promise;
    const early = directory.application('b');
    await run(`delete from access_keys where id = 'k'`);
    now += 900;
    const late = directory.accessKey('ak');
    answered.resolve();
    expect(await late).toBeNull();
    await early;
    directory.close();
  });

  test('a database that does not answer makes nobody welcome', async () => {
    const broken = { ...platform.database, read: platform.database.read };
    const directory = new AccessDirectory({ ...platform, database: broken });
    await directory.application('a');
    Object.assign(broken, { read: platform.database.read.withPlugin(failing) });
    now += 900;
    await expect(Promise.resolve(directory.application('a'))).rejects.toThrow('away');
    directory.close();
  });
});

const failing = {
  transformQuery: () => {
    throw new Error('the database is away');
  },
  transformResult: () => Promise.reject(new Error('the database is away')),
};
