import { getHeapSpaceStatistics } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../foundation/http/index.ts';
import { parseInput } from '@kethub/service-api';

const secrets = '"$secrets": {"token": "s3cret"}';

async function refusal(text: string, dataPools: readonly string[] | null = []): Promise<string> {
  try {
    await parseInput(text, dataPools);
    return 'accepted';
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe('$secrets', () => {
  test.each([
    [`{${secrets}}`, '{}'],
    [`{${secrets}, "a": 1}`, '{ "a": 1}'],
    [`{"a": 1, ${secrets}}`, '{"a": 1}'],
    [`{"a": 1 , ${secrets} , "b":[12345678901234567890, 1.50]}`, '{"a": 1  , "b":[12345678901234567890, 1.50]}'],
    ['{"\\u0024secrets": {}, "x": {"$secrets": 1}}', '{ "x": {"$secrets": 1}}'],
    ['\ufeff {"a": "\\ud800"} ', '{"a": "\\ud800"}'],
  ])('are taken out of %s, and every other byte stays', async (text, remaining) => {
    const input = await parseInput(text, []);
    expect(input.bytes.toString()).toBe(remaining);
    expect(await input.read()).toEqual(JSON.parse(remaining));
    expect(JSON.stringify(await input.readExact())).toContain(
      remaining.includes('12345678901234567890') ? '12345678901234567890' : '',
    );
    expect(input.members).toBe(await input.readExact());
    expect(input.secrets).toEqual(text.includes('s3cret') ? { token: 's3cret' } : text.includes('\\u0024') ? {} : null);
  });

  test.each([
    ['{"$secrets": null}', 'invalid-secrets'],
    ['{"$secrets": "x"}', 'invalid-secrets'],
    ['{"$secrets": 7}', 'invalid-secrets'],
    ['{"$secrets": {"a": {}}}', 'invalid-secrets: $secrets/a must be a string'],
    ['{"$secrets": {"a": true}}', 'invalid-secrets: $secrets/a must be a string'],
    [`{"$secrets": {${Array.from({ length: 101 }, (_, index) => `"s${index}":""`).join()}}}`, 'at most 100'],
    [`{"$secrets": {"a": "${'x'.repeat(65_537)}"}}`, 'more than 65536 bytes'],
    ['{"$secrets": {"a": "1"}, "$secrets": {"a": "2"}}', 'malformed-json'],
    ['{"$secrets": {"a": "1", "a": "2"}}', 'malformed-json'],
  ])('are refused as %s', async (text, reason) => {
    expect(await refusal(text)).toContain(reason);
  });
});

describe('a large input', () => {
  const bytes = 8 * 1024 * 1024;
  const filled = (unit: string, before: string, after: string): string =>
    before + unit.repeat((bytes - before.length - after.length) / unit.length) + after;

  /** Bytes of the heap without the youngest objects, of which up to 48 MB are garbage that no collection has met yet. */
  const heapBeyondYoung = (): number =>
    getHeapSpaceStatistics()
      .filter(({ space_name }) => space_name !== 'new_space')
      .reduce((sum, { space_used_size }) => sum + space_used_size, 0);

  /** The number of turns of the event loop that others had meanwhile. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let done = false;
    const others = (): void => {
      turns += 1;
      if (!done) setImmediate(others);
    };
    setImmediate(others);
    await work();
    done = true;
    return turns;
  }

  test.each([
    ['numbers', filled('0,', `{${secrets},"data":[`, '0]}')],
    ['objects', filled('{},', `{${secrets},"data":[`, '0]}')],
    ['secrets', filled('0,', '{"$secrets":[', '0]}')],
  ])('of %s builds no document and yields to others', async (_what, text) => {
    const input = Buffer.from(text);
    const heap = heapBeyondYoung();
    const turns = await turnsDuring(() => parseInput(input, ['data']).catch(() => null));
    expect(heapBeyondYoung() - heap).toBeLessThan(16 * 1024 * 1024);
    expect(turns).toBeGreaterThan(bytes / (256 * 1024));
  });

  test.each([`{${secrets},"data":`, '{"data":'])('is judged by its depth alike, after %s', async (before) => {
    const nested = (depth: number): string => `${before}${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(await refusal(nested(1_000))).toBe('accepted');
    for (const depth of [1_001, 5_000, 1_000_000]) expect(await refusal(nested(depth))).toContain('1000 levels');
  });
});

describe('references to data pools', () => {
  const id = '01890000-0000-7000-8000-000000000000';
  const pool = `{"id": "${id}", "ref": "DATAPOOL"}`;

  test('are found under the parameters that were asked for, under any, and anywhere', async () => {
    const text = `{"a": ${pool}, "b": [${pool}], "c~/": ${pool.replace('DATAPOOL', 'datapool')}, "d": null}`;
    expect((await parseInput(text, ['a', 'b', 'd', 'e'])).references).toEqual({
      a: JSON.parse(pool),
      b: [JSON.parse(pool)],
      d: null,
    });
    expect(Object.keys((await parseInput(text, null)).references)).toEqual(['a', 'c~/']);
    expect((await parseInput(text, [])).marked.map(({ pointer }) => pointer)).toEqual(['/a', '/b/0', '/c~0~1']);
  });

  test('a long value under such a parameter is none, and is not parsed', async () => {
    const { references } = await parseInput(`{"a": [${'0,'.repeat(100_000)}0]}`, ['a']);
    expect(references).toEqual({ a: { bytes: 200_003 } });
  });

  test('within secrets are secrets', async () => {
    expect(await refusal(`{"$secrets": {"a": ${pool}}}`)).toContain('invalid-secrets');
  });
});
