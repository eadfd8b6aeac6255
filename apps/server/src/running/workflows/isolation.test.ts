import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { acceptedInstance } from '../../testing/workflow-instances.ts';
import { inParts } from './in-parts.ts';
import { correlateMessages, Postponed } from './messages.ts';
import { fireTimers } from './timers.ts';

test('a batch that fails is done in parts, without the items that make it fail', async () => {
  const done: number[] = [];
  const culprits: number[] = [];
  const all = Array.from({ length: 256 }, (_value, number) => number);
  let tries = 0;
  const writeAll = (some: readonly number[]) => {
    tries += 1;
    if (some.includes(7) || some.includes(200)) return Promise.reject(new Error('refused'));
    done.push(...some);
    return Promise.resolve();
  };
  expect(await inParts(all, writeAll, (one) => Promise.resolve(void culprits.push(one)))).toEqual({ done: 254 });
  expect([done.length, culprits]).toEqual([254, [7, 200]]);
  expect(tries).toBeLessThan(40);
});

describe.each(databases())('a timer or a message that the database refuses on $name', ({ open }) => {
  let platform: TestPlatform;
  let now = 1_000_000;

  beforeAll(async () => {
    platform = { ...(await createTestPlatform(open)), now: () => now };
    const isSqlite = platform.database.dialect === 'sqlite';
    const refuse = isSqlite
      ? [
          `create trigger refuses before insert on workflow_events when new.event like '%:13%' begin select raise(abort, 'refused'); end`,
        ]
      : [
          `create function refuses() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
          `create trigger refuses before insert on workflow_events for each row when (new.event like '%:13%') execute function refuses()`,
        ];
    for (const one of refuse) await platform.database.write((transaction) => sql.raw(one).execute(transaction));
  });
  afterAll(() => platform.close());

  test('keeps no other timer from being fired, and is tried again later', async () => {
    const id = await acceptedInstance(platform, 'timers');
    const rows = Array.from({ length: 20 }, (_value, timer) => ({
      instance_id: id,
      timer,
      element_id: 't',
      due: 1,
      attempts: 0,
    }));
    await platform.database.write((transaction) => transaction.insertInto('workflow_timers').values(rows).execute());
    await fireTimers(
      platform,
      () => undefined,
      () => undefined,
    );
    const left = await platform.database.read.selectFrom('workflow_timers').select(['timer', 'due']).execute();
    expect(left).toEqual([{ timer: 13, due: now + 500 }]);
    const events = await platform.database.read.selectFrom('workflow_events').select('id').execute();
    expect(events).toHaveLength(19 + 1);
  });

  test('keeps no other message from its instance, however many are refused before it', async () => {
    await platform.database.write((transaction) => transaction.deleteFrom('workflow_events').execute());
    const [id, other] = [await acceptedInstance(platform, 'one'), await acceptedInstance(platform, 'other')];
    const wanted = [
      {
        instance_id: id,
        subscription: 13,
        element_id: 'm',
        service_id: 's',
        message_name: 'm',
        correlation_key: 'bad',
      },
      {
        instance_id: other,
        subscription: 1,
        element_id: 'm',
        service_id: 's',
        message_name: 'm',
        correlation_key: 'good',
      },
    ];
    const messages = Array.from({ length: 101 }, (_value, number) => ({
      id: platform.newId(),
      service_id: 's',
      subscription_id: null,
      name: 'm',
      correlation_key: number < 100 ? 'bad' : 'good',
      variables: '{}',
      message_id: null,
      created_at: now,
      expires_at: now + 1_000_000,
      correlated_at: null,
      depth: 0,
    }));
    const service = { id: 's', owner_type: 'USER' as const, owner_id: 'one', name: 's', slug: 's', description: '' };
    await platform.database.write(async (transaction) => {
      await transaction
        .insertInto('services')
        .values({ ...service, type: 'WORKFLOW', created_at: now, revision: 1, stored_bytes: 0 })
        .execute();
      await transaction.insertInto('workflow_subscriptions').values(wanted).execute();
      await transaction.insertInto('workflow_messages').values(messages).execute();
    });
    const postponed = new Postponed(() => now);
    const count = async () => {
      const rows = await platform.database.read.selectFrom('workflow_messages').select('id').execute();
      return rows.length;
    };
    for (let round = 0; round < 3 && (await correlateMessages(platform, postponed, () => undefined)) === 0; round++);
    expect(await count()).toBe(100);
    // Nobody tries the others again and again.
    expect(await correlateMessages(platform, postponed, () => undefined)).toBeNull();
    now += 60_001;
    expect(postponed.ids).toEqual([]);
  });
});
