import { expect, test } from 'vitest';
import { Attempts } from './attempts.ts';

const MINUTES = 60 * 1000;

/** Begins attempts until one is refused; returns how many were let through and the refusal. */
function guess(attempts: Attempts, account: (round: number) => string, address: (round: number) => string) {
  for (let round = 0; round < 10_000; round += 1) {
    const attempt = attempts.begin(account(round), address(round));
    if ('retryAfter' in attempt) return { failures: round, retryAfter: attempt.retryAfter };
  }
  return { failures: Number.POSITIVE_INFINITY, retryAfter: 0 };
}

function signIn(attempts: Attempts, account: string, address: string): boolean {
  const attempt = attempts.begin(account, address);
  if ('retryAfter' in attempt) return false;
  attempt.succeeded();
  return true;
}

test('ten wrong passwords of one account from one address, then a pause of at most five minutes', () => {
  let now = 0;
  const attempts = new Attempts(() => now);
  const ada = () =>
    guess(
      attempts,
      () => 'ada',
      () => '192.0.2.1',
    );
  expect(ada()).toEqual({ failures: 10, retryAfter: 300 });
  now = 4 * MINUTES + 1;
  expect(ada()).toEqual({ failures: 0, retryAfter: 60 });
  now = 5 * MINUTES;
  expect(ada()).toMatchObject({ failures: 10 });
});

test('the right password counts for nothing', () => {
  const attempts = new Attempts(() => 0);
  for (let round = 0; round < 1_000; round += 1) expect(signIn(attempts, 'ada', '192.0.2.1')).toBe(true);
});

test('parallel guesses count before their outcome is known', () => {
  const attempts = new Attempts(() => 0);
  const outcomes = Array.from({ length: 20 }, () => attempts.begin('ada', '192.0.2.1'));
  expect(outcomes.filter((outcome) => 'succeeded' in outcome)).toHaveLength(10);
});

test('one address tries at most a hundred passwords over all accounts', () => {
  const attempts = new Attempts(() => 0);
  expect(
    guess(
      attempts,
      (round) => `user${round}`,
      () => '192.0.2.1',
    ),
  ).toMatchObject({ failures: 100 });
  expect(signIn(attempts, 'ada', '192.0.2.1')).toBe(false);
  expect(signIn(attempts, 'ada', '192.0.2.2')).toBe(true);
});

test('the addresses of one IPv6 network count as one', () => {
  const attempts = new Attempts(() => 0);
  expect(
    guess(
      attempts,
      () => 'ada',
      (round) => `2001:db8::${round.toString(16)}`,
    ),
  ).toMatchObject({ failures: 10 });
});

test('a botnet that guesses one password here and there is bounded', () => {
  const attempts = new Attempts(() => 0);
  expect(
    guess(
      attempts,
      () => 'ada',
      (round) => `198.51.${round >> 8}.${round & 255}`,
    ),
  ).toMatchObject({ failures: 100 });
});

test('the owner of an account under attack signs in from where they have signed in before', () => {
  const attempts = new Attempts(() => 0);
  expect(signIn(attempts, 'ada', '192.0.2.1')).toBe(true);
  guess(
    attempts,
    () => 'ada',
    (round) => `198.51.${round >> 8}.${round & 255}`,
  );
  expect(signIn(attempts, 'ada', '203.0.113.9')).toBe(false);
  expect(signIn(attempts, 'ada', '192.0.2.1')).toBe(true);
});
