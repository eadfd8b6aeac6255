import { beforeEach, expect, test } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';
import { IdentityProviderUnavailable } from './identity-provider.ts';

let now: number;
let calls: number;
let breaker: CircuitBreaker;
beforeEach(() => {
  now = 1_000_000;
  calls = 0;
  breaker = new CircuitBreaker(() => now);
});

const call = (fails: boolean): Promise<string> =>
  breaker.run(() => {
    calls++;
    return fails ? Promise.reject(new Error('down')) : Promise.resolve('up');
  });

async function fail(times: number): Promise<void> {
  for (let one = 0; one < times; one++) await expect(call(true)).rejects.toThrow(IdentityProviderUnavailable);
}

test('failures that are not five in a row change nothing', async () => {
  await fail(4);
  expect(await call(false)).toBe('up');
  await fail(4);
  expect(await call(false)).toBe('up');
});

test('after five failures in a row no call is made for 10 s', async () => {
  await fail(5);
  now += 9_999;
  await fail(3);
  expect(calls).toBe(5);
});

test('then one call tries, and its success lets all through', async () => {
  await fail(5);
  now += 10_000;
  const { promise, resolve } = Promise.withResolvers<string>();
  const trial = breaker.run(() => promise);
  await expect(call(false)).rejects.toThrow(IdentityProviderUnavailable);
  resolve('up');
  expect(await trial).toBe('up');
  expect(await call(false)).toBe('up');
});

test('a try that fails makes it wait again', async () => {
  await fail(5);
  now += 10_000;
  await fail(1);
  expect(calls).toBe(6);
  now += 9_999;
  await fail(1);
  expect(calls).toBe(6);
});
