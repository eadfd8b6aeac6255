import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AccessDirectory } from '../../catalog/access/index.ts';
import { execute, writeAccessRows } from '../../testing/access-rows.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { createAdmission, type Purpose } from './admission.ts';
import { createBearers } from './bearer.ts';
import { gatewayKeys } from './signing-key.ts';

/** Statements that each revoke the calls of application a with access key ak to version 1.0.0 of service s. */
const revocations: readonly string[] = [
  `update access_keys set expires_at = 1 where id = 'k'`,
  `delete from access_keys where id = 'k'`,
  `update applications set owner_id = 'other' where id = 'a'`,
  `delete from applications where id = 'a'`,
  `delete from subscriptions where id = 'p'`,
  `update services set owner_id = 'other' where id = 's'`,
  `update service_versions set state = 'RETIRED' where id = 'v'`,
  `delete from services where id = 's'`,
  `insert into blocked_users (user_id, blocked_at) values ('u', 1)`,
];

describe.each(databases())('the admission of applications on $name', ({ open }) => {
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

  /** A function that calls services with one token. */
  async function caller(directory: AccessDirectory) {
    const keys = await gatewayKeys(platform);
    const bearers = createBearers(keys, 'https://gateway.test', platform.newId);
    const request = { headers: { authorization: `Bearer ${bearers.issue('a', 'ak', now)}` } } as FastifyRequest;
    await keys.close();
    const admit = createAdmission(platform, bearers, directory);
    return async (version = '1.0.0', purpose: Purpose = 'STARTER') => {
      const { subscriptionId } = await admit(purpose, request, { owner: 'u', service: 's', version });
      return subscriptionId;
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
      // Another call has polled the changes, so the next one is decided from the cache.
      await directory.application('b');
      await expect(call()).rejects.toThrow(/gone|No service|not subscribed/);
      await run(`delete from blocked_users`);
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
});
