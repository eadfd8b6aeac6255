import type { Event } from '@kethub/workflow';
import { expect, test } from 'vitest';
import { readExact } from '../exact.ts';
import { redactedEvent } from './redact-secrets.ts';

const SECRET = 'a "secret" of Köln';
const resultOf = async (value: unknown, secrets = [SECRET]) => {
  const event = { type: 'jobSucceeded', job: 1, result: value } as Event;
  const after = await redactedEvent(event, secrets);
  return after.type === 'jobSucceeded' ? after.result : null;
};

test('a secret that comes back is redacted wherever it stands', async () => {
  const value = { [SECRET]: 1, list: [`before ${SECRET} behind`, { deep: SECRET }], other: 'secret', number: 7 };
  expect(await resultOf(value)).toEqual({
    '[redacted]': 1,
    list: ['before [redacted] behind', { deep: '[redacted]' }],
    other: 'secret',
    number: 7,
  });
  expect(await resultOf(SECRET)).toBe('[redacted]');
  const failed = {
    type: 'jobFailed',
    job: 1,
    serviceId: 's',
    applicationId: 'a',
    response: { detail: SECRET },
  } as Event;
  expect(JSON.stringify(await redactedEvent(failed, [SECRET]))).not.toContain('secret\\"');
});

test('a short secret is no part of other texts', async () => {
  expect(await resultOf({ a: 'yes', b: 'yes, of course' }, ['yes', ''])).toEqual({
    a: '[redacted]',
    b: 'yes, of course',
  });
});

test.each(['at the beginning', 'in the middle', 'in a name', 'escaped', 'nowhere'])(
  'also in a result of megabytes, %s',
  async (where) => {
    const rows: unknown[] = Array.from({ length: 60_000 }, (_value, number) => ({ number, text: 'x'.repeat(20) }));
    if (where === 'at the beginning') rows.unshift(SECRET);
    if (where === 'in the middle') rows[30_000] = { inner: [`(${SECRET})`] };
    if (where === 'in a name') rows.push({ [SECRET]: 1 });
    const text = JSON.stringify({ rows, n: 1 });
    const escaped =
      where === 'escaped' ? text.replace('"n":1', `"n":${JSON.stringify(SECRET).replace('K', '\\u004b')}`) : text;
    const value = (await readExact(escaped)) as { readonly rows: unknown };
    const result = (await resultOf(value)) as { readonly rows: unknown };
    expect(JSON.stringify(result)).not.toContain('of Köln');
    expect(JSON.stringify(result).includes('[redacted]')).toBe(where !== 'nowhere');
    expect(result === value || where !== 'nowhere').toBe(true);
  },
);
