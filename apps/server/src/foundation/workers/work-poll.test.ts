import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { testLog } from '../../testing/log.ts';
import { createTestPlatform, type TestPlatform } from '../../testing/platform.ts';
import type { Database } from '../storage/index.ts';
import { createPolling } from './work-poll.ts';

const waiting = { timeout: 30_000, interval: 20 };

describe.each(databases())('the poll for work on $name', (kind) => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await createTestPlatform(kind.open);
  });
  afterAll(() => platform.close());

  /** The database of a platform, which counts the answers of statements, and may not answer one. */
  function counted(): { database: Database; asked: number; answers: number; isSilent: boolean } {
    const { database } = platform;
    const counting = {
      asked: 0,
      answers: 0,
      isSilent: false,
      database: {
        ...database,
        prepare<Row>(query: Parameters<typeof database.prepare<Row>>[0]) {
          const run = database.prepare<Row>(query);
          return async (parameters: readonly unknown[]) => {
            counting.asked += 1;
            if (counting.isSilent) await new Promise(() => undefined);
            const rows = await run(parameters);
            counting.answers += 1;
            return rows;
          };
        },
      },
    };
    return counting;
  }

  test('asks for all kinds of work with one statement, and tells each what is due', async () => {
    const counting = counted();
    const { workPoll } = createPolling(counting.database, testLog);
    const found: (number | null)[][] = [[], [], []];
    const kinds = [sql<number | null>`(select 0)`, sql<number | null>`(select cast(${7} as integer))`, sql<null>`null`];
    const ends = kinds.map((due, at) => workPoll.add({ due, polled: (when) => void found[at]?.push(when) }));
    await vi.waitFor(() => expect(found[2]?.length).toBeGreaterThan(1), waiting);
    expect(found.map(([first]) => first)).toEqual([0, 7, null]);
    expect(found.map(({ length }) => length)).toEqual([counting.answers, counting.answers, counting.answers]);
    const before = found[0]?.length ?? 0;
    ends[1]?.();
    const ended = found[1]?.length ?? 0;
    await vi.waitFor(() => expect(found[0]?.length).toBeGreaterThan(before), waiting);
    expect(found[1]).toHaveLength(ended);
    for (const end of ends) end();
  });

  test('goes on after a statement that failed', async () => {
    const { workPoll } = createPolling(platform.database, testLog);
    const found: (number | null)[] = [];
    const endFirst = workPoll.add({ due: sql<number | null>`(select 0)`, polled: (due) => void found.push(due) });
    const endWrong = workPoll.add({ due: sql<number | null>`(select 0 from no_such_table)`, polled: () => undefined });
    const logged = vi.spyOn(testLog, 'warn');
    await vi.waitFor(() => expect(logged).toHaveBeenCalledWith(expect.anything(), 'could not look for work'), waiting);
    expect(found).toEqual([]);
    endWrong();
    await vi.waitFor(() => expect(found).toContain(0), waiting);
    endFirst();
  });

  test('does not wait for ever for an answer', async () => {
    const counting = counted();
    const { workPoll } = createPolling(counting.database, testLog);
    const found: (number | null)[] = [];
    counting.isSilent = true;
    const end = workPoll.add({ due: sql<number | null>`(select 0)`, polled: (due) => void found.push(due) });
    await vi.waitFor(() => expect(counting.asked).toBe(1), waiting);
    counting.isSilent = false;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    await vi.waitFor(() => expect(found).toContain(0), waiting);
    end();
    clock.mockRestore();
  });
});
