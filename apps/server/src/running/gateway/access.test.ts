import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AccessChangeLog } from '../../catalog/access/index.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { createAccessDirectory, type AccessDirectory } from './access.ts';
import { admitSubscriber } from './admission.ts';
import { createBearers } from './bearer.ts';
import type { Purpose } from './pass.ts';
import { Remembered } from './remembered.ts';
import { gatewayKeys } from './signing-key.ts';

/** Each takes away what application a calls: of service s version 1.0.0, with access key ak. */
const revocations: readonly string[] = [
  `update access_keys set expires_at = 1 where id = 'k'`,
  `delete from access_keys where id = 'k'`,
  `update applications set owner_id = 'other' where id = 'a'`,
  `delete from applications where id = 'a'`,
  `delete from subscriptions where id = 'p'`,
  `update services set owner_id = 'other' where id = 's'`,
  `update service_versions set state = 'RETIRED' where id = 'v'`,
  `delete from services where id = 's'`,
  `insert into shut_out (user_id, noted_at) values ('u', 1)`,
];

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

describe.each(databases)('what applications may do, from memory, on $name', ({ open }) => {
  let platform: TestPlatform;
  let now = 1_000_000;
  beforeAll(async () => {
    platform = await createTestPlatform(open, { now: () => now });
  });
  afterAll(() => platform.close());

  const run = (statement: string) => platform.database.write((transaction) => sql.raw(statement).execute(transaction));
  beforeEach(async () => {
    for (const table of ['applications', 'services']) await run(`delete from ${table}`);
    await run(`insert into applications (id, owner_type, owner_id, name, created_at, revision)
      values ('a', 'USER', 'u', 'A', 1, 1), ('b', 'USER', 'u', 'B', 1, 1)`);
    await run(`insert into access_keys (id, application_id, access_key_id, secret_digest, sealed_secret, secret_hint, created_at)
      values ('k', 'a', 'ak', 'd', 's', 'h', 1)`);
    await run(`insert into services (id, owner_type, owner_id, name, slug, type, description, created_at, revision)
      values ('s', 'USER', 'u', 'S', 's', 'MANAGED', '', 1, 1)`);
    for (const [id, version] of [
      ['v', '1.0.0'],
      ['v2', '1.0.1'],
    ])
      await run(`insert into service_versions (id, service_id, version, state, visibility, configuration, source_blob, source_bytes,
        source_digest, build_id, created_at, published_at, revision)
        values ('${id}', 's', '${version}', 'PUBLISHED', 'INTERNAL', '{}', 'b', 1, 'd', 'x', 1, 1, 1)`);
    await run(
      `insert into subscriptions (id, application_id, service_id, service_version_id, created_at) values ('p', 'a', 's', 'v', 1)`,
    );
  });

  /** Told nothing: as when every notification is lost. */
  function deaf(): AccessDirectory {
    return createAccessDirectory({ ...platform, database: { ...platform.database, listen: () => () => undefined } });
  }

  test.each(changes)('%s: is in the log of changes', async (statement) => {
    const log = new AccessChangeLog(platform.database);
    expect(await log.read()).toEqual([]);
    await run(statement);
    expect(new Set(await log.read())).toEqual(new Set(['a']));
    expect(await log.read()).toEqual([]);
  });

  test('who is shut out calls nothing until let in again, within a second also without notifications', async () => {
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
    await run(`insert into shut_out (user_id, noted_at) values ('u', 1)`);
    expect(await known()).toEqual([false, false, true, false]);
    expect(new Set(await log.read())).toEqual(new Set(['a', 'b']));
    await run(`delete from shut_out where user_id = 'u'`);
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

  test('without any notification: remembered for a while, and after 900 ms as it is now', async () => {
    const directory = deaf();
    expect((await directory.application('a'))?.accessKeys.has('ak')).toBe(true);
    expect((await directory.accessKey('ak'))?.applicationId).toBe('a');
    await run(`delete from access_keys where id = 'k'`);
    now += 900;
    expect((await directory.application('a'))?.accessKeys.has('ak')).toBe(false);
    expect(await directory.accessKey('ak')).toBeNull();
    directory.close();
  });

  /** Calls services with one token, again and again. */
  async function caller(directory: AccessDirectory) {
    const keys = await gatewayKeys(platform);
    const bearers = createBearers(keys, 'https://gateway.test', platform.newId);
    const request = { headers: { authorization: `Bearer ${bearers.issue('a', 'ak', now)}` } } as FastifyRequest;
    await keys.close();
    return async (version = '1.0.0', purpose: Purpose = 'STARTER') => {
      const path = { owner: 'u', service: 's', version };
      const { subscriber } = await admitSubscriber(platform, bearers, directory, purpose, request, path);
      return subscriber.subscriptionId;
    };
  }

  test.each(revocations)(
    '%s: ends what a token was just used for, within 900 ms and without notifications',
    async (statement) => {
      const directory = deaf();
      const call = await caller(directory);
      for (let times = 0; times < 3; times++) expect(await call()).toBe('p');
      await run(statement);
      now += 900;
      // Somebody else's call has looked at the changes: the next one decides from memory.
      await directory.application('b');
      await expect(call()).rejects.toThrow(/gone|No service|not subscribed/);
      await run(`delete from shut_out`);
      directory.close();
    },
  );

  test('a key that ends, ends by itself; one token calls several services in turns', async () => {
    await run(`insert into subscriptions (id, application_id, service_id, service_version_id, created_at)
      values ('p2', 'a', 's', 'v2', 1)`);
    await run(`update access_keys set expires_at = ${now + 500} where id = 'k'`);
    const directory = deaf();
    const call = await caller(directory);
    for (let times = 0; times < 3; times++) expect([await call(), await call('1.0.1')]).toEqual(['p', 'p2']);
    now += 499;
    expect(await call('1.0.1')).toBe('p2');
    now += 1;
    await expect(call('1.0.1')).rejects.toThrow('gone');
    directory.close();
  });

  test('what a token may only read is not started with it, however often it has just read', async () => {
    await run(`update service_versions set deprecated_at = 1, sunset_at = ${now + 500} where id = 'v'`);
    const directory = deaf();
    const call = await caller(directory);
    for (const after of [0, 499]) {
      now += after;
      expect([await call('1.0.0', 'SUBSCRIBER'), await call()]).toEqual(['p', 'p']);
    }
    now += 1;
    for (let times = 0; times < 3; times++) {
      expect(await call('1.0.0', 'SUBSCRIBER')).toBe('p');
      await expect(call()).rejects.toThrow('was retired');
    }
    now += 3_600_000;
    await expect(call('1.0.0', 'SUBSCRIBER')).rejects.toThrow('expired');
    directory.close();
  });

  test('what ends for one application goes on for another, again and again', async () => {
    const directory = deaf();
    const call = await caller(directory);
    for (let times = 0; times < 3; times++) {
      for (let calls = 0; calls < 3; calls++) expect(await call()).toBe('p');
      await run(`update applications set name = 'B${times}' where id = 'b'`);
      await directory.application('b');
      now += 900;
    }
    await run(`delete from subscriptions where id = 'p'`);
    now += 900;
    await directory.application('b');
    await expect(call()).rejects.toThrow('not subscribed');
    directory.close();
  });

  test('what is remembered no longer does not hold, whatever the reason', async () => {
    const load = (key: string) => Promise.resolve({ key, holds: false });
    const entries = new Remembered(load, 2, (one, isRemembered) => {
      one.holds = isRemembered;
    });
    const [a, b] = [await entries.get('a'), await entries.get('b')];
    expect([a?.holds, b?.holds]).toEqual([true, true]);
    const loading = entries.get('c');
    entries.forget('c');
    expect((await loading)?.holds).toBe(false);
    entries.forget('a');
    expect([a?.holds, b?.holds]).toEqual([false, true]);
    await entries.get('a');
    // Full: a newcomer takes the place of the oldest, at some time.
    const holds = (): boolean => b?.holds ?? false;
    for (let key = 0; holds(); key++) await entries.get(String(key));
    expect(await entries.get('b')).not.toBe(b);
    entries.clear();
    expect((await entries.get('a'))?.holds).toBe(true);
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
    const directory = createAccessDirectory({ ...platform, database: { ...platform.database, read: counted } });
    await directory.application('a');
    const loaded = statements;
    for (let second = 0; second < 5; second++) {
      now += 1_000;
      await directory.application('a');
    }
    // One look each, and those of the timer.
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
    const directory = createAccessDirectory({
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
    const directory = createAccessDirectory({ ...platform, database: broken });
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
