import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

const quota = { name: 'test', units: 60, seconds: 60 };

function allowed(limiter: RateLimiter, key: string, times: number): number {
  return Array.from({ length: times }, () => limiter.take(key).allowed).filter(Boolean).length;
}

test('the quota at once, and then as it comes back', () => {
  let now = Date.UTC(2026, 0, 1);
  const limiter = new RateLimiter(quota, () => now);
  expect(allowed(limiter, 'ada', 100)).toBe(60);
  now += 998;
  expect(limiter.take('ada')).toMatchObject({ allowed: false, retryAfter: 1 });
  now += 2;
  expect(allowed(limiter, 'ada', 2)).toBe(1);
  now += 10_000;
  expect(allowed(limiter, 'ada', 20)).toBe(10);
  now += 24 * 60 * 60 * 1000;
  expect(allowed(limiter, 'ada', 100)).toBe(60);
});

test.each([1, 7, 60, 600, 1_000, 999_983])('a quota of %d units is exactly so many', (units) => {
  const limiter = new RateLimiter({ name: 'test', units, seconds: 60 }, () => 1_800_000_000_000);
  const some = Math.floor(units / 3);
  expect(limiter.take('ada', units - some)).toMatchObject({ allowed: true, remaining: some });
  if (some > 0) expect(limiter.take('ada', some)).toMatchObject({ allowed: true, remaining: 0 });
  expect(limiter.take('ada')).toMatchObject({ allowed: false, remaining: 0 });
});

test('says what is left, when it is whole again, and how long to wait', () => {
  const limiter = new RateLimiter(quota, () => 0);
  expect(limiter.take('ada', 10)).toMatchObject({ allowed: true, remaining: 50, reset: 10, quota });
  expect(limiter.take('ada', 55)).toMatchObject({ allowed: false, remaining: 50, reset: 10, retryAfter: 5 });
});

test('a clock that is set back blocks nobody, and gives nobody more', () => {
  let now = Date.UTC(2026, 0, 1);
  const limiter = new RateLimiter(quota, () => now);
  expect(allowed(limiter, 'ada', 60)).toBe(60);
  now -= 24 * 60 * 60 * 1000;
  expect(limiter.take('grace').allowed).toBe(true);
  expect(limiter.take('ada')).toMatchObject({ allowed: false, retryAfter: 1 });
  now += 10_000;
  expect(allowed(limiter, 'ada', 20)).toBe(10);
});

test('what is refused costs nothing', () => {
  const limiter = new RateLimiter(quota, () => 0);
  limiter.take('ada', 50);
  for (let round = 0; round < 100; round += 1) expect(limiter.take('ada', 11).allowed).toBe(false);
  expect(limiter.take('ada', 10).allowed).toBe(true);
});

test('hundreds of thousands of other keys give nobody their quota back, and take it from nobody', () => {
  const now = 1_800_000_000_000;
  const limiter = new RateLimiter(quota, () => now);
  limiter.take('ada', 60);
  for (let key = 0; key < 300_000; key += 1) limiter.spend(`hostile ${key}`);
  expect(limiter.take('ada').allowed).toBe(false);
  const left = Array.from({ length: 100 }, (_none, key) => limiter.look(`other ${key}`).remaining);
  // `look` reports the rest after a request that costs one unit.
  expect(Math.min(...left)).toBe(quota.units - 1);
});

test('a key that was spent from is never forgotten before its quota is whole', () => {
  let now = 0;
  const limiter = new RateLimiter(quota, () => now);
  for (let round = 0; round < 5; round += 1) {
    limiter.take(`other ${round}`);
    now += 59_000;
    limiter.take('ada', 60);
    now += 1_500;
    limiter.take(`another ${round}`);
    expect(limiter.take('ada', 60), `round ${round}`).toMatchObject({ allowed: false, remaining: 1 });
    now += 58_500;
  }
});
