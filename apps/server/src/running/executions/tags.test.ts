import { limits } from '@kethub/contract';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../foundation/http/index.ts';
import type { Database } from '../../foundation/storage/index.ts';
import { bareExecution } from '../../testing/bare-executions.ts';
import { parseInput } from '@kethub/service-api';
import { executionChanged } from './watch.ts';

async function problemOf(text: string): Promise<Pick<Problem, 'code' | 'message' | 'errors'>> {
  const refused: unknown = await parseInput(text, []).then(
    () => null,
    (error: unknown) => error,
  );
  if (refused instanceof Problem) return refused;
  throw new Error(`Not refused: ${text.slice(0, 100)}`);
}

const list = (values: unknown): string => JSON.stringify({ data: 1, $tags: values });
const tags = '"$tags": ["a", "b"]';
const secrets = '"$secrets": {"token": "s3cret"}';

describe('$tags', () => {
  test.each([
    [`{${tags}}`, '{}'],
    [`{${tags}, "a": 1}`, '{ "a": 1}'],
    [`{"a": 1, ${tags}}`, '{"a": 1}'],
    [`{"a": 1 , ${tags} , "b":[12345678901234567890, 1.50]}`, '{"a": 1  , "b":[12345678901234567890, 1.50]}'],
    [`{${tags.replace('$', '\\u0024')}, "x": {"$tags": 1}}`, '{ "x": {"$tags": 1}}'],
    [`\ufeff {"a": "\\ud800", ${tags}} `, '{"a": "\\ud800"}'],
    // No comma is taken twice, and none stays.
    [`{${tags}, ${secrets}}`, '{ }'],
    [`{${secrets}, ${tags}}`, '{}'],
    [`{${tags}, ${secrets}, "a": 1}`, '{  "a": 1}'],
    [`{${secrets}, ${tags}, "a": 1}`, '{ "a": 1}'],
    [`{"a": 1, ${tags}, ${secrets}}`, '{"a": 1}'],
    [`{"a": 1, ${secrets}, ${tags}, "b": 2}`, '{"a": 1, "b": 2}'],
    [`{${secrets}, "a": 1, ${tags}}`, '{ "a": 1}'],
    [`{${tags}, "a": 1, ${secrets}}`, '{ "a": 1}'],
  ])('are taken out of %s, and every other byte stays', async (text, remaining) => {
    const input = await parseInput(text, []);
    expect(input.bytes.toString()).toBe(remaining);
    expect(await input.read()).toEqual(JSON.parse(remaining));
    expect(input.tags).toEqual(['a', 'b']);
    expect(input.secrets).toEqual(text.includes('s3cret') ? { token: 's3cret' } : null);
  });

  test('deep inside of data are data', async () => {
    const text = '{"data": {"$tags": "x"}, "params": [{"$tags": ["y"]}]}';
    const input = await parseInput(text, []);
    expect([input.tags, input.bytes.toString()]).toEqual([[], text]);
  });

  test('may be none, come twice, and be as many and as long as the limits say, whatever the letters', async () => {
    const most = Array.from({ length: limits.tags }, (_, at) => String.fromCodePoint(0x1f600 + at).repeat(limits.tagLength)); // prettier-ignore
    expect((await parseInput(list(most), [])).tags).toEqual(most);
    const escaped = JSON.stringify(most).replaceAll(/[\ud800-\udfff]/g, (half) => `\\u${half.charCodeAt(0).toString(16)}`); // prettier-ignore
    expect((await parseInput(`{"$tags": ${escaped}}`, [])).tags).toEqual(most);
    expect((await parseInput(list([]), [])).tags).toEqual([]);
    expect((await parseInput(list(['b', 'a', 'b']), [])).tags).toEqual(['b', 'a']);
  });

  test.each<[unknown, string]>([
    [null, '/$tags'],
    ['a', '/$tags'],
    [{ a: 'b' }, '/$tags'],
    [Array.from({ length: limits.tags + 1 }, (_, at) => `${at}`), '/$tags'],
    [Array.from({ length: 20_000 }, () => 'aaa'), '/$tags'],
    [['a', 7], '/$tags/1'],
    [['a', null], '/$tags/1'],
    [[['a']], '/$tags/0'],
    [[{ id: '01890000-0000-7000-8000-000000000000', ref: 'DATAPOOL' }], '/$tags/0'],
    [['a', 'b', ''], '/$tags/2'],
    [['a'.repeat(limits.tagLength + 1)], '/$tags/0'],
    [['a\nb'], '/$tags/0'],
    [['\0'], '/$tags/0'],
    [['\ud800'], '/$tags/0'],
  ])('are refused as %j, with the pointer', async (values, pointer) => {
    const { code, message, errors } = await problemOf(list(values));
    expect([code, errors?.map((one) => one.pointer)]).toEqual(['invalid-request', [pointer]]);
    expect(message).toContain(`\`${pointer.slice(1)}\` `);
  });

  test('are refused when the member comes twice', async () => {
    expect((await problemOf('{"$tags": ["a"], "$tags": ["b"]}')).code).toBe('malformed-json');
    expect((await problemOf(`{"$tags": ["a"], "\\u0024tags": ["b"]}`)).code).toBe('malformed-json');
  });

  test.each([
    [['ok', 'with s3cret-value inside'], ['/$tags/1'], 's3cret-value'],
    [['pin'], ['/$tags/0'], 'pin'],
  ])('that hold a secret are refused, and the secret is not quoted: %j', async (given, pointers, secret) => {
    const refused = await problemOf(JSON.stringify({ $tags: given, $secrets: { token: secret } }));
    expect([refused.code, refused.errors?.map((one) => one.pointer)]).toEqual(['invalid-secrets', pointers]);
    expect(JSON.stringify([refused.message, refused.errors])).not.toContain(secret);
    // A short one may stand in a word by chance, and an empty one stands in every word.
    for (const short of ['ok', ''])
      expect((await parseInput(JSON.stringify({ $tags: ['spoken'], $secrets: { token: short } }), [])).tags).toHaveLength(1); // prettier-ignore
  });

  test('of a large input are cut out without building it, and yield to others', async () => {
    const bytes = 8 * 1024 * 1024;
    const text = Buffer.from(`{${tags}, "data": [${'0,'.repeat(bytes / 2)}0], ${secrets}}`);
    const heap = process.memoryUsage().heapUsed;
    let turns = 0;
    let done = false;
    const others = (): void => {
      turns += 1;
      if (!done) setImmediate(others);
    };
    setImmediate(others);
    const input = await parseInput(text, []);
    done = true;
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(32 * 1024 * 1024);
    expect(turns).toBeGreaterThan(bytes / (128 * 1024));
    expect([input.tags, input.secrets, input.bytes.length]).toEqual([['a', 'b'], { token: 's3cret' }, bytes + 14]);
  });
});

test('the longest tags fit into the notification of an end, which PostgreSQL limits to 8,000 bytes', async () => {
  for (const letter of ['"', '\\', '😀']) {
    const most = Array.from({ length: limits.tags }, (_, at) => letter.repeat(limits.tagLength - 2) + String(10 + at));
    const { tags: given } = await parseInput(list(most), []);
    const uuid = '01890000-0000-7000-8000-000000000000';
    const row = { ...bareExecution, id: uuid, status: 'SUCCEEDED', subscription_id: uuid, application_id: uuid, owner_type: 'ORGANIZATION', owner_id: 'o'.repeat(limits.idLength), service_id: uuid, service_version_id: uuid, created_at: Date.now(), started_at: Date.now(), ended_at: Date.now(), tags: JSON.stringify(given) } as const; // prettier-ignore
    let bytes = 0;
    const notify = (channel: string, payload: string): void => {
      bytes = Buffer.byteLength(`${channel} ${payload}`);
    };
    executionChanged({ notify } as unknown as Database, uuid, row);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(7_900);
  }
});
