import { describe, expect, onTestFinished, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform } from '../../../testing/platform.ts';
import { Attempts } from './attempts.ts';

const MINUTES = 60 * 1000;

describe.each(databases())('wrong passwords on $name', ({ open }) => {
  async function start() {
    let now = Date.UTC(2026, 0, 1);
    const platform = await createTestPlatform(open, { now: () => now });
    onTestFinished(() => platform.close());
    return { platform, attempts: new Attempts(platform), pass: (ms: number) => void (now += ms) };
  }
  const wrong = () => Promise.resolve(null);
  const right = () => Promise.resolve('subject');

  /** Gives wrong passwords until one is refused; returns how many were let through and the seconds to wait. */
  async function guess(attempts: Attempts, account: (round: number) => string, address: (round: number) => string) {
    for (let round = 0; round < 1_000; round += 1) {
      const attempt = await attempts.make(account(round), address(round), wrong);
      if ('retryAfter' in attempt) return { failures: round, retryAfter: attempt.retryAfter };
    }
    return { failures: Number.POSITIVE_INFINITY, retryAfter: 0 };
  }
  const guessAda = (attempts: Attempts, address: (round: number) => string = () => '192.0.2.1') =>
    guess(attempts, () => 'ada', address);
  const signsIn = async (attempts: Attempts, account: string, address: string): Promise<boolean> =>
    'outcome' in (await attempts.make(account, address, right));
  const anywhere = (round: number): string => `198.51.${round >> 8}.${round & 255}`;

  test('ten of one account from one address, then a pause of at most five minutes', async () => {
    const { attempts, pass } = await start();
    expect(await guessAda(attempts)).toEqual({ failures: 10, retryAfter: 300 });
    pass(4 * MINUTES + 1);
    expect(await guessAda(attempts)).toEqual({ failures: 0, retryAfter: 60 });
    pass(MINUTES);
    expect(await guessAda(attempts)).toMatchObject({ failures: 10 });
  });

  test('a clock that is set back by hours shuts nobody out, and counts anew', async () => {
    const { attempts, pass } = await start();
    pass(6 * 60 * MINUTES);
    expect(await guessAda(attempts)).toMatchObject({ failures: 10 });
    pass(-6 * 60 * MINUTES);
    expect(await signsIn(attempts, 'ada', '192.0.2.1')).toBe(true);
    expect(await guessAda(attempts)).toEqual({ failures: 10, retryAfter: 300 });
    // Clocks of two processes that differ by less than a window count together.
    pass(-MINUTES);
    expect(await guessAda(attempts)).toMatchObject({ failures: 0 });
  });

  test('another process counts on, and so does the next one after a restart', async () => {
    const { platform, attempts } = await start();
    const database = await platform.testDatabase.again();
    onTestFinished(() => database.close());
    for (let round = 0; round < 9; round += 1) await attempts.make('ada', '192.0.2.1', wrong);
    expect(await guessAda(new Attempts({ ...platform, database }))).toMatchObject({ failures: 1 });
    expect(await guessAda(new Attempts(platform))).toMatchObject({ failures: 0 });
  });

  test('without an address only the account counts, and nobody else is blocked', async () => {
    const { attempts } = await start();
    for (let round = 0; round < 120; round += 1) await attempts.make(`user${round}`, null, wrong);
    expect('outcome' in (await attempts.make('ada', null, right))).toBe(true);
    for (let round = 0; round < 100; round += 1) await attempts.make('ada', null, wrong);
    expect(await attempts.make('ada', null, right)).toEqual({ retryAfter: 300 });
    expect(await signsIn(attempts, 'grace', '192.0.2.1')).toBe(true);
  });

  test('the right password counts for nothing', async () => {
    const { attempts } = await start();
    for (let round = 0; round < 200; round += 1) expect(await signsIn(attempts, 'ada', '192.0.2.1')).toBe(true);
  });

  test('a check that fails counts for nothing and is not in the way of the next', async () => {
    const { attempts } = await start();
    const broken = () => Promise.reject(new Error('no database'));
    for (let round = 0; round < 20; round += 1) {
      await expect(attempts.make('ada', '192.0.2.1', broken)).rejects.toThrow('no database');
    }
    expect(await guessAda(attempts)).toMatchObject({ failures: 10 });
  });

  test('parallel guesses count before their outcome is known', async () => {
    const { attempts } = await start();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => attempts.make('ada', '192.0.2.1', wrong)));
    expect(outcomes.filter((outcome) => 'outcome' in outcome).length).toBeLessThanOrEqual(10);
    expect(outcomes.filter((outcome) => 'outcome' in outcome).length).toBeGreaterThan(0);
  });

  test('one address tries at most a hundred over all accounts', async () => {
    const { attempts } = await start();
    const everybody = await guess(
      attempts,
      (round) => `user${round}`,
      () => '192.0.2.1',
    );
    expect(everybody).toMatchObject({ failures: 100 });
    expect(await signsIn(attempts, 'ada', '192.0.2.1')).toBe(false);
    expect(await signsIn(attempts, 'ada', '192.0.2.2')).toBe(true);
  });

  test('the addresses of one IPv6 network count as one', async () => {
    const { attempts } = await start();
    expect(await guessAda(attempts, (round) => `2001:db8::${round.toString(16)}`)).toMatchObject({ failures: 10 });
  });

  test('a botnet that guesses one here and there is bounded, and the owner signs in from where they did before', async () => {
    const { platform, attempts } = await start();
    expect(await signsIn(attempts, 'ada', '192.0.2.1')).toBe(true);
    expect(await guessAda(attempts, anywhere)).toMatchObject({ failures: 100 });
    expect(await signsIn(attempts, 'ada', '203.0.113.9')).toBe(false);
    expect(await signsIn(new Attempts(platform), 'ada', '192.0.2.1')).toBe(true);
  });

  test('rows say nothing of whom they are about, and go when they have ended', async () => {
    const { platform, attempts, pass } = await start();
    const { read } = platform.database;
    await guessAda(attempts);
    await signsIn(attempts, 'grace', '192.0.2.1');
    const rows = async () => [
      ...(await read.selectFrom('sign_in_failures').selectAll().execute()),
      ...(await read.selectFrom('sign_in_networks').selectAll().execute()),
    ];
    expect(JSON.stringify(await rows())).not.toMatch(/grace|192\.0/);
    expect(await rows()).toHaveLength(4);
    pass(5 * MINUTES);
    await attempts.purge();
    expect(await rows()).toHaveLength(1);
    pass(90 * 24 * 60 * MINUTES);
    await attempts.purge();
    expect(await rows()).toHaveLength(0);
  });
});
