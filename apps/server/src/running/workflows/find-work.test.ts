import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../foundation/storage/index.ts';
import { addBareVersion, pendingExecution } from '../../testing/bare-executions.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import { findWork } from './find-work.ts';

describe.each(databases())('work of workflows that the poll finds on $name', (kind) => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await createTestPlatform(kind.open);
    await addBareVersion(platform, 'v');
    await platform.database.write(async (transaction) => {
      const execution = { ...pendingExecution(platform, 'owner', 'v'), id: 'execution' };
      await transaction.insertInto('executions').values(execution).execute();
      await sql`insert into workflow_instances (id, execution_id, service_version_id, depth, phase, revision, incidents,
        bytes, created_at) values ('instance', 'execution', 'v', 0, 'RUNNING', 1, 0, 0, 1)`.execute(transaction);
    });
  });
  afterAll(() => platform.close());

  /** The answers of the poll, by the work; null is left out. */
  const found = async (queries: Queries): Promise<Record<string, number>> => {
    const kinds = Object.entries(findWork);
    const row = await queries.selectNoFrom(kinds.map(([name, due]) => due.as(name))).executeTakeFirstOrThrow();
    return Object.fromEntries(
      kinds.flatMap(([name]) => {
        const due = (row as Record<string, number | null>)[name] ?? null;
        return due === null ? [] : [[name, due]];
      }),
    );
  };
  const job = (state: string) => sql`insert into workflow_jobs (id, instance_id, job, element_id, state, service, due,
    attempts, locked_until) values ('job', 'instance', 1, 'task', ${state}, 's', 0, 0, 0)`;
  const message = (owner: string | null) => sql`insert into workflow_messages (id, service_id, name, correlation_key,
    variables, created_at, expires_at, owner) values ('message', 'service of v', 'm', 'k', '{}', 1, 2, ${owner})`;

  test.each<[string, RawBuilder<unknown> | null, Record<string, number>]>([
    ['nothing', null, {}],
    [
      'an event',
      sql`insert into workflow_events (id, instance_id, event, bytes) values ('e', 'instance', '{}', 2)`,
      { events: 0 },
    ],
    ['a job to start', job('OPEN'), { jobs: 0 }],
    ['a job whose execution has ended', job('ENDED'), { jobs: 0 }],
    ['a job whose execution runs', job('STARTED'), {}],
    [
      'a timer',
      sql`insert into workflow_timers (instance_id, timer, element_id, due) values ('instance', 1, 't', 5),
        ('instance', 2, 't', 9)`,
      { timers: 5 },
    ],
    [
      'a schedule',
      sql`insert into workflow_schedules (service_version_id, element_id, due) values ('v', 's', 7)`,
      { schedules: 7 },
    ],
    ['a message that was published', message(null), { messages: 0 }],
    ['a message that was thrown', message('owner'), { messages: 0, thrown: 0 }],
    [
      'a signal',
      sql`insert into workflow_signals (id, owner, name, variables, depth, last_position, service_id, position,
        created_at) values ('signal', 'owner', 's', '{}', 0, 1, 'service of v', 0, 1)`,
      { signals: 0 },
    ],
  ])('%s', async (_what, insert, expected) => {
    const undone = new Error('undone');
    const inside = platform.database.write(async (transaction) => {
      await insert?.execute(transaction);
      expect(await found(transaction)).toEqual(expected);
      throw undone;
    });
    await expect(inside).rejects.toBe(undone);
  });
});
