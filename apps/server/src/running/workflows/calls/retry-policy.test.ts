import { expect, test } from 'vitest';
import { isOver, pauseAfter, retries } from './retry-policy.ts';
import { RemoteFault } from './remote-fault.ts';

const seconds = (times: number): number =>
  Array.from({ length: times }, (_, attempts) => pauseAfter(attempts)).reduce((sum, ms) => sum + ms, 0) / 1000;

test.each([
  ['a start', retries.start, 121.5],
  ['what the platform could not do', retries.platform, 451.5],
  ['a service that is at work', retries.running, 3601.5],
] as const)('%s is tried %d times more', (_, times, expected) => {
  expect(seconds(times)).toBe(expected);
});

const away = new RemoteFault('Nobody answers.', true, null);
const storeAway = Object.assign(new Error('The S3 does not answer.'), { code: 'STORE_AWAY' });
const never = new RemoteFault('Not JSON.', false, null);

test.each([
  ['OPEN', 8, away, false],
  ['OPEN', 9, away, true],
  ['REMOTE', 9, away, false],
  ['REMOTE', 125, away, true],
  ['OPEN', 0, never, true],
  ['REMOTE', 0, never, true],
  ['OPEN', 19, new Error('of the platform'), false],
  ['OPEN', 20, new Error('of the platform'), true],
  ['ENDED', 500, storeAway, false],
] as const)('%s after %d tries: %s', (state, attempts, error, over) => {
  expect(isOver({ state, attempts }, error)).toBe(over);
});
