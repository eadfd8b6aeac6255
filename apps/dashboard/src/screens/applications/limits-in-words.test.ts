import { expect, test } from 'vitest';
import { limitsInWords } from './limits-in-words.ts';

const none = { requestsPerMinute: null, executionsPerDay: null, executionsPerMonth: null };
const unused = { executionsToday: null, executionsThisMonth: null };

test('a subscription without limits says so', () => expect(limitsInWords(none, unused)).toEqual(['no limit']));

test('each limit stands with what is used of it', () =>
  expect(
    limitsInWords(
      { requestsPerMinute: 1, executionsPerDay: 1_000, executionsPerMonth: 20_000 },
      { executionsToday: 7, executionsThisMonth: null },
    ),
  ).toEqual(['7 of 1,000 today', '0 of 20,000 this month', '1 request a minute']));
